// The code caches of the build: V8 accepts them, and worker, hook and command line run without them too.
import { execFileSync } from "node:child_process";
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Script } from "node:vm";
import { beforeAll, expect, test } from "vitest";
import { runCompiled, storeCodeCache } from "../../src/core/compiled-code.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { startWorker, workerBundle, workerHome } from "../helpers/worker-process.ts";

const dist = dirname(workerBundle);
const bundles = ["worker", "hook-fallback", "cli"];

// The build made the caches for its Node: another one makes them here, in the same way.
beforeAll(() => {
  for (const bundle of bundles) makeMissing(bundle);
});

function makeMissing(bundle: string): void {
  if (readdirSync(dist).some((name) => name.startsWith(`${bundle}-`) && name.includes(process.version)))
    return;
  const what = bundle === "hook-fallback" ? "hook" : bundle;
  const script = fileURLToPath(new URL("../../src/compile-code.mjs", import.meta.url));
  const env = { ...process.env, MEM_DATA_DIR: mkdtempSync(join(tmpdir(), "mt")), MEM_WORKER_PORT: "0" };
  execFileSync(process.execPath, [script, what, join(dist, built(bundle, "cjs")), env.MEM_DATA_DIR], { env });
}

// Another Node that has run from here has a cache beside the one of the build.
function built(bundle: string, ending: "cjs" | "v8"): string {
  const node = ending === "v8" ? `.*-${process.version}-\\d+` : "";
  const pattern = new RegExp(`^${bundle}-[0-9a-f]{12}${node}\\.${ending}$`);
  const [name = "", ...others] = readdirSync(dist).filter((entry) => pattern.test(entry));
  expect(others).toEqual([]);
  return name;
}

test.each(bundles)("the code cache of %s is accepted by the Node that built it", (bundle) => {
  const script = `
    const { readFileSync } = require("node:fs");
    const { Script } = require("node:vm");
    const [code, cache] = process.argv.slice(1);
    const { cachedDataRejected } = new Script(readFileSync(code, "latin1"), { cachedData: readFileSync(cache) });
    console.log(JSON.stringify({ cachedDataRejected }));`;
  const files = [join(dist, built(bundle, "cjs")), join(dist, built(bundle, "v8"))];
  const printed = execFileSync(process.execPath, ["-e", script, ...files], {
    env: { PATH: process.env.PATH },
    encoding: "utf8",
  });
  expect(JSON.parse(printed)).toEqual({ cachedDataRejected: false });
});

// V8 itself does not tell these apart, and a worker with the cache of another one ends with a segmentation fault.
test.each<[string, string, boolean]>([
  ["the Node that built it", "", true],
  ["another release of Node with the same V8", 'say("version", "v20.19.0")', false],
  ["the same release on another system", 'say("platform", "haiku")', false],
  ["another binary of the same release", 'say("execPath", __filename)', false],
])("for %s the code cache is used: %s", (_which, pretend, isGiven) => {
  const spy = join(tempDir(), "spy.cjs");
  writeFileSync(
    spy,
    `const say = (name, value) => Object.defineProperty(process, name, { value });
     require("node:vm").Script = function (_code, { cachedData }) {
       console.log(cachedData !== undefined);
       process.exit();
     };
     ${pretend}`,
  );
  const printed = execFileSync(process.execPath, ["--require", spy, workerBundle], {
    env: { PATH: process.env.PATH },
    encoding: "utf8",
  });
  expect(printed.trim()).toBe(String(isGiven));
});

test("a package without a code cache gets one, which the next start uses", () => {
  const folder = tempDir();
  writeFileSync(join(folder, "x.cjs"), "(function (exports) { exports.answer = () => 42; })");
  const compiled: Script[] = [];
  const run = () => runCompiled(folder, "x", { onCompiled: (script) => compiled.push(script) });
  expect(run()).toMatchObject({ answer: expect.any(Function) });
  expect(compiled).toHaveLength(1);
  for (const script of compiled) storeCodeCache(folder, "x", script);
  expect(readdirSync(folder)).toHaveLength(2);
  expect(run()).toMatchObject({ answer: expect.any(Function) });
  expect(compiled).toHaveLength(1);
});

test.each(bundles)("the code of %s is ASCII, as it is read with one byte per character", (bundle) => {
  expect(readFileSync(join(dist, built(bundle, "cjs"))).findIndex((byte) => byte > 0x7f)).toBe(-1);
});

test.each(bundles)("the code of %s has no import(), which cannot work in cached code", (bundle) => {
  const code = readFileSync(join(dist, built(bundle, "cjs")), "latin1");
  expect(code.match(/(?<![\w$.])import\(/g)).toBeNull();
});

test.each<[string, (file: string) => void]>([
  ["missing", (file) => rmSync(file)],
  ["cut off", (file) => truncateSync(file, 5_000)],
  ["empty", (file) => truncateSync(file, 0)],
  ["of another V8", (file) => writeFileSync(file, readFileSync(file).fill(0x77, 4, 12))],
])("with a code cache that is %s, hook, worker and command run", async (_what, spoil) => {
  const root = tempDir();
  const packageRoot = dirname(dist);
  cpSync(dist, join(root, "dist"), { recursive: true });
  for (const name of ["package.json", "templates", "node_modules"])
    symlinkSync(join(packageRoot, name), join(root, name));
  for (const bundle of bundles) spoil(join(root, "dist", built(bundle, "v8")));
  const version = 'require(process.argv[1]).main(["--version"])';
  const printed = execFileSync(process.execPath, ["-e", version, join(root, "dist", "cli.cjs")], {
    env: { PATH: process.env.PATH },
    encoding: "utf8",
  });
  expect(printed).toMatch(/^\d+\.\d+\.\d+\n$/);
  const home = tempDir();
  const hook = [join(root, "dist", "hook.cjs"), "claude-code", "post-tool-use", "--failed=unreachable"];
  execFileSync(process.execPath, hook, {
    env: { PATH: process.env.PATH, HOME: home, MEM_DATA_DIR: join(home, "data") },
    input: '{"session_id":"s","tool_name":"Bash"}',
  });
  expect(readdirSync(join(home, "data", "spool"))).toHaveLength(1);
  const worker = await startWorker(workerHome(), [process.execPath, join(root, "dist", "worker.cjs")]);
  expect(await worker.get("/api/health")).toMatchObject({ status: 200 });
  await worker.stop();
});

test("a command stores the code cache where there is none", () => {
  const root = tempDir();
  cpSync(dist, join(root, "dist"), { recursive: true });
  for (const name of ["package.json", "node_modules"])
    symlinkSync(join(dirname(dist), name), join(root, name));
  const cache = join(root, "dist", built("cli", "v8"));
  rmSync(cache);
  const run = 'require(process.argv[1]).main(["--version"])';
  execFileSync(process.execPath, ["-e", run, join(root, "dist", "cli.cjs")], {
    env: { PATH: process.env.PATH },
  });
  expect(statSync(cache).size).toBeGreaterThan(10_000);
});
