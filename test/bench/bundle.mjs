// The product's own code for a bench: modules of src/ made into one file that Node can import.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { root } from "./worker.mjs";

/** Path of a module that holds what `code` exports; its imports are relative to `from`, the repository's root. */
export async function bundle(name, code, from = root) {
  const folder = join(root, "node_modules", ".cache", "agent-mem-bench");
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, `${name}.mjs`);
  await build({
    stdin: { contents: code, resolveDir: from, sourcefile: `${name}.ts`, loader: "ts" },
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20.19",
    external: ["better-sqlite3"],
    loader: { ".sql": "text" },
    banner: { js: 'import{createRequire as __r}from"node:module";const require=__r(import.meta.url);' },
    logLevel: "error",
  });
  return outfile;
}

/** The module itself. */
export async function importBundle(name, code, from = root) {
  return import(await bundle(name, code, from));
}
