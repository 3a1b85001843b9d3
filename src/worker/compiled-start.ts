// The worker's process: `node dist/worker.cjs [--announce]`. It runs the code from what V8 compiled of it when it was
// built: measured 104 ms against 158 ms to the first answer. Another Node finds nothing made for it, and compiles.
import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { cachedDataVersionTag } from "node:v8";
import { Script } from "node:vm";
import { failOpenSync } from "../core/errors.ts";

// Set by the build. It carries a digest: V8 itself compares no more than the length of compiled code and its source.
declare const codeName: string;

type CommonJs = (
  exports: object,
  require: NodeJS.Require,
  module: object,
  file: string,
  folder: string,
) => void;

const file = join(__dirname, `${codeName}.cjs`);
// ASCII, as the build made it: read so, it stays outside of V8's heap and takes one byte a character.
const script = new Script(readFileSync(file, "latin1"), {
  filename: file,
  cachedData: compiled(),
});
const run: CommonJs = script.runInThisContext();
run(exports, createRequire(file), module, file, __dirname);

// Beside the code, as src/compile-worker.mjs names it. V8's tag tells its version, its flags and the processor apart, but
// not two binaries of one V8: Node 20.19.0 takes what 20.20.2 compiled, and ends with a segmentation fault.
function compiled(): Buffer | undefined {
  return failOpenSync("reading compiled code", () => {
    const { platform, arch, version, execPath } = process;
    const node = [platform, arch, version, statSync(execPath).size, cachedDataVersionTag()];
    return readFileSync(join(__dirname, `${[codeName, ...node].join("-")}.v8`));
  });
}
