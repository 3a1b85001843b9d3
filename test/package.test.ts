// The package that npm publishes: which files it has, and that its bundles need no other packages.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const manifest = JSON.parse(readFileSync(`${root}package.json`, "utf8"));

const packed: { files: { path: string; size: number }[]; size: number } = JSON.parse(
  execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { cwd: root, encoding: "utf8" }),
)[0];
const paths = packed.files.map(({ path }) => path);

const expected: readonly (readonly [what: string, pattern: RegExp])[] = [
  ["the manifest, the license and the README", /^(package\.json|LICENSE|README\.md)$/],
  ["the command", /^bin\/(mem\.js|package\.json)$/],
  ["the bundles of worker, hook and threads", /^dist\/[a-z0-9-]+\.cjs$/],
  ["the bundles of the command line", /^dist\/cli\/[\w-]+\.js$/],
  ["the pages of the viewer", /^dist\/viewer\/(\w+\.html|assets\/\w+-\w+\.(js|css|svg))$/],
  ["the licenses of what is bundled", /^dist\/third-party-licenses\.txt$/],
  ["the plugins of the hosts", /^hooks\/(\.claude-plugin|hooks|openclaw|opencode|pi)\/[\w.-]+$/],
  ["the launchers of the hooks", /^hooks\/[\w.-]+$/],
  ["the manual pages", /^man\/mem(-[a-z-]+)?\.1$/],
  ["the documents", /^docs\/[\w-]+\.(md|json|png)$/],
  ["modes, prompts, prices, the demo and the deployment", /^templates\/[\w./-]+$/],
];

test.each(expected)("the package has %s", (_what, pattern) => {
  expect(paths.filter((path) => pattern.test(path))).not.toEqual([]);
});

test("the package has nothing else", () => {
  expect(paths.filter((path) => !expected.some(([, pattern]) => pattern.test(path)))).toEqual([]);
});

test("the package has at most 5 MB", () => {
  expect(packed.size).toBeLessThan(5_000_000);
});

// fastify and pg load these when a function that mem does not use is called; ajv writes the last into code it generates.
const neverLoaded =
  /^(@fastify\/(ajv-compiler|fast-json-stringify-compiler)|light-my-request|pg-native|ajv(-formats)?\/dist\/.*)$/;

test("the bundles import no package besides the dependencies", () => {
  const strangers = paths
    .filter((path) => /^(dist|bin|hooks)\/.*\.(c?js|mjs)$/.test(path))
    .flatMap((path) => {
      const code = readFileSync(`${root}${path}`, "utf8");
      const imports = [
        ...code.matchAll(/(?:\brequire\(|\bimport\(|\bfrom\s*|\bimport\s*)"([@\w][\w@/.-]*)"/g),
      ];
      return imports.map(([, name = ""]) => name);
    })
    .filter((name) => !isBuiltin(name) && !neverLoaded.test(name));
  expect([...new Set(strangers)]).toEqual(Object.keys(manifest.dependencies));
});

// Every npm drops the line when it writes the file, which .npmrc leaves to a change of the dependencies. Without it, npm 10
// compiles the package although its binaries are there, and fails where there is no compiler.
test("the lock file keeps npm from compiling better-sqlite3", () => {
  const { packages } = JSON.parse(readFileSync(`${root}package-lock.json`, "utf8"));
  expect(packages["node_modules/better-sqlite3"]).toMatchObject({ gypfile: false });
  expect(manifest.allowScripts["better-sqlite3"]).toBe(false);
});
