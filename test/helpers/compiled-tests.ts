// Compiles the tests before they run, to modules that Node loads itself. Vitest's own loader compiles every module in every
// worker: with it the imports of all files take 75 s of processor time, without it 8 s and 8 s for esbuild.
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { isAlive } from "../../src/core/is-alive.ts";

const globalSetup = ["run-directory", "build-once", "postgres-cluster"].map(
  (name) => `test/helpers/${name}.ts`,
);

/** Where the compiled files are, for the configuration of Vitest. */
export interface CompiledTests {
  include: string[];
  globalSetup: string[];
}

/**
 * Compiles the tests that the words of the command line select, all by default, into a folder of this process, which ends
 * with it. Code shared by tests is in shared modules, so it is loaded once in each worker.
 */
export async function compileTests(root: string, words: readonly string[]): Promise<CompiledTests> {
  const all = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".test.ts"))
    .map((path) => `test/${path.replaceAll("\\", "/")}`);
  const named = all.filter((path) => words.some((word) => path.includes(word)));
  const tests = named.length > 0 ? named : all;
  const folder = openFolder(join(root, ".tests"));
  await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries([...tests, ...globalSetup].map((path) => [path, path])),
    outdir: folder,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    packages: "external",
    sourcemap: true,
    loader: { ".sql": "text" },
    plugins: [ownUrls],
    logLevel: "warning",
  });
  return {
    include: [`${folder}/test/**/*.test.ts.js`],
    globalSetup: globalSetup.map((path) => `${folder}/${path}.js`),
  };
}

// Folders of processes that were killed go too.
function openFolder(parent: string): string {
  mkdirSync(parent, { recursive: true });
  for (const pid of readdirSync(parent)) if (!isAlive(Number(pid))) remove(join(parent, pid));
  const folder = join(parent, String(process.pid));
  process.once("exit", () => remove(folder));
  return folder;
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

// A module that asks for its own address finds fixtures and programs beside its source.
const ownUrls: Plugin = {
  name: "own-urls",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/](src|test)[\\/].*\.(tsx?|mjs)$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      if (!text.includes("import.meta.url")) return undefined;
      const contents = text.replaceAll(/(?<!")import\.meta\.url/g, JSON.stringify(pathToFileURL(path).href));
      return { contents, loader: path.endsWith("x") ? "tsx" : "ts" };
    });
  },
};
