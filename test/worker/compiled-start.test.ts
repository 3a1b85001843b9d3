// The start from compiled code, as it is built: V8 takes it, and a worker without it starts as well.
import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../helpers/temp-dir.ts";
import { startWorker, workerBundle, workerHome } from "../helpers/worker-process.ts";

const dist = dirname(workerBundle);
const built = (ending: RegExp) => readdirSync(dist).filter((name) => ending.test(name));

test("what the build compiled is taken by the Node that built it", () => {
  const [code = "", ...otherCode] = built(/^worker-[0-9a-f]{12}\.cjs$/);
  const [compiled = "", ...otherCompiled] = built(/\.v8$/);
  expect([otherCode, otherCompiled]).toEqual([[], []]);
  const asked = `
    const { readFileSync } = require("node:fs");
    const { Script } = require("node:vm");
    const [code, compiled] = process.argv.slice(1);
    const { cachedDataRejected } = new Script(readFileSync(code, "latin1"), { cachedData: readFileSync(compiled) });
    console.log(JSON.stringify({ cachedDataRejected }));`;
  const printed = execFileSync(process.execPath, ["-e", asked, join(dist, code), join(dist, compiled)], {
    env: { PATH: process.env.PATH },
    encoding: "utf8",
  });
  expect(JSON.parse(printed)).toEqual({ cachedDataRejected: false });
});

// V8 itself does not tell these apart, and a worker with what another one compiled ends with a segmentation fault.
test.each<[string, string, boolean]>([
  ["the Node that built it", "", true],
  ["another release of Node with the same V8", 'say("version", "v20.19.0")', false],
  ["the same release on another system", 'say("platform", "haiku")', false],
  ["another binary of the same release", 'say("execPath", __filename)', false],
])("for %s the compiled code is given to V8 or not", (_which, pretend, isGiven) => {
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

test("the code that is read with one byte a character has no character that takes more", () => {
  const [code = ""] = built(/^worker-[0-9a-f]{12}\.cjs$/);
  expect(readFileSync(join(dist, code)).findIndex((byte) => byte > 0x7f)).toBe(-1);
});

test("the code has no import(), which cannot work in compiled code", () => {
  const [code = ""] = built(/^worker-[0-9a-f]{12}\.cjs$/);
  expect(readFileSync(join(dist, code), "latin1").match(/(?<![\w$.])import\(/g)).toBeNull();
});

test.each<[string, (file: string) => void]>([
  ["missing", (file) => rmSync(file)],
  ["cut off", (file) => truncateSync(file, 5_000)],
  ["empty", (file) => truncateSync(file, 0)],
  ["of another V8", (file) => writeFileSync(file, readFileSync(file).fill(0x77, 4, 12))],
])("a worker whose compiled code is %s answers", async (_what, spoil) => {
  const root = tempDir();
  const packageRoot = dirname(dist);
  cpSync(dist, join(root, "dist"), { recursive: true });
  for (const name of ["package.json", "templates", "node_modules"])
    symlinkSync(join(packageRoot, name), join(root, name));
  spoil(join(root, "dist", built(/\.v8$/)[0] ?? ""));
  const worker = await startWorker(workerHome(), [process.execPath, join(root, "dist", "worker.cjs")]);
  expect(await worker.get("/api/health")).toMatchObject({ status: 200 });
  await worker.stop();
});
