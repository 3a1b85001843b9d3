// The worker's process: `node dist/worker.cjs [--announce]`. Runs the bundle with the code cache of the build: 104 ms
// against 158 ms to the first reply. Another Node version finds no cache and compiles.
import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { cachedDataVersionTag } from "node:v8";
import { Script } from "node:vm";
import { failOpenSync } from "../core/errors.ts";

// Set by the build, with a digest: V8 itself compares only the lengths of cache and source.
declare const codeName: string;

type CommonJs = (
  exports: object,
  require: NodeJS.Require,
  module: object,
  file: string,
  folder: string,
) => void;

const file = join(__dirname, `${codeName}.cjs`);
// The build makes it ASCII: read as latin1 it stays outside V8's heap, one byte per character.
const script = new Script(readFileSync(file, "latin1"), {
  filename: file,
  cachedData: compiled(),
});
const run: CommonJs = script.runInThisContext();
run(exports, createRequire(file), module, file, __dirname);

// Named as in src/compile-worker.mjs. V8's tag covers version, flags and processor, but not the binary: Node 20.19.0 accepts
// a cache of 20.20.2 and crashes with a segmentation fault.
function compiled(): Buffer | undefined {
  return failOpenSync("reading compiled code", () => {
    const { platform, arch, version, execPath } = process;
    const node = [platform, arch, version, statSync(execPath).size, cachedDataVersionTag()];
    return readFileSync(join(__dirname, `${[codeName, ...node].join("-")}.v8`));
  });
}
