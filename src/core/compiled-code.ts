// Runs a bundle that the build stored as a function, with the build's V8 code cache: V8 caches code of scripts only.
import { accessSync, chmodSync, constants, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Script } from "node:vm";
import { failOpenSync } from "./errors.ts";

type CommonJs = (
  exports: object,
  require: NodeJS.Require,
  module: object,
  file: string,
  folder: string,
  load: Load,
) => void;

/** Stands for `import()`, which cached code cannot call: loads a module by its path from the folder of the code. */
type Load = (part: string) => Promise<unknown>;

interface RunOptions {
  /** For code with parts that it loads later. */
  load?: Load;
  /** Gets the script for `storeCodeCache` when there was no cache for this Node. */
  onCompiled?(script: Script): void;
}

/**
 * Runs `<folder>/<name>.cjs` and returns its exports. Without a cache for this Node it is compiled, which takes longer.
 */
export function runCompiled(folder: string, name: string, options: RunOptions = {}): unknown {
  const { load = noParts, onCompiled } = options;
  const file = join(folder, `${name}.cjs`);
  // The build makes it ASCII: read as latin1 it stays outside V8's heap, one byte per character.
  const cachedData = codeCache(folder, name);
  const script = new Script(readFileSync(file, "latin1"), { filename: file, cachedData });
  const run: CommonJs = script.runInThisContext();
  const module = { exports: {} };
  run(module.exports, createRequire(file), module, file, folder, load);
  if (cachedData === undefined || script.cachedDataRejected) onCompiled?.(script);
  return module.exports;
}

function noParts(part: string): never {
  throw new TypeError(`this code loads no parts: ${part}`);
}

// Named as in src/compile-code.mjs. V8 itself compares version, flags and the length of the source, so the name has a digest
// of the source and the size of the binary: Node 20.19.0 accepts a cache of 20.20.2 and crashes with a segmentation fault.
function codeCache(folder: string, name: string): Buffer | undefined {
  return failOpenSync("read compiled code", () => readFileSync(cacheFile(folder, name)));
}

function cacheFile(folder: string, name: string): string {
  const { platform, arch, version, execPath } = process;
  return join(folder, `${[name, platform, arch, version, statSync(execPath).size].join("-")}.v8`);
}

/** Stores what has been compiled of the script for later starts, where this user may write beside it. */
export function storeCodeCache(folder: string, name: string, script: Script): void {
  failOpenSync("store compiled code", () => {
    // A package of another user: making the cache takes longer than finding that out.
    accessSync(folder, constants.W_OK);
    const file = cacheFile(folder, name);
    const made = `${file}.${process.pid}.new`;
    writeFileSync(made, script.createCachedData());
    // The worker's umask is private; every user of the package may read this file.
    chmodSync(made, 0o644);
    renameSync(made, file);
  });
}
