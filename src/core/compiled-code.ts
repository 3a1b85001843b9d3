// Runs a bundle that the build stored as a function, with the build's V8 code cache: V8 caches code of scripts only.
import { readFileSync, statSync } from "node:fs";
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
) => void;

/** Runs `<folder>/<name>.cjs` and returns its exports. Without a cache for this Node it is compiled, which takes longer. */
export function runCompiled(folder: string, name: string): unknown {
  const file = join(folder, `${name}.cjs`);
  // The build makes it ASCII: read as latin1 it stays outside V8's heap, one byte per character.
  const script = new Script(readFileSync(file, "latin1"), {
    filename: file,
    cachedData: codeCache(folder, name),
  });
  const run: CommonJs = script.runInThisContext();
  const module = { exports: {} };
  run(module.exports, createRequire(file), module, file, folder);
  return module.exports;
}

// Named as in src/compile-code.mjs. V8 itself compares version, flags and the length of the source, so the name has a digest
// of the source and the size of the binary: Node 20.19.0 accepts a cache of 20.20.2 and crashes with a segmentation fault.
function codeCache(folder: string, name: string): Buffer | undefined {
  const { platform, arch, version, execPath } = process;
  return failOpenSync("read compiled code", () =>
    readFileSync(join(folder, `${[name, platform, arch, version, statSync(execPath).size].join("-")}.v8`)),
  );
}
