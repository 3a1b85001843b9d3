// The product with other weights, without a setting for it: a copy of the package whose worker is built with them.
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { root } from "../worker.mjs";

/**
 * Makes the package. An override is `{ module, constant, values }`: the values replace entries of the object or array
 * that `module` (a path below the repository) declares as `const <constant>` at its top level.
 */
export async function packageWithWeights(overrides) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "mem-bench-weights-")));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    for (const name of ["bin", "dist", "hooks"])
      cpSync(join(root, name), join(folder, name), { recursive: true });
    for (const name of ["package.json", "templates", "node_modules"])
      symlinkSync(join(root, name), join(folder, name));
    await buildWorker(join(folder, "dist", "worker.cjs"), overrides);
    return { folder, remove };
  } catch (cause) {
    remove();
    throw cause;
  }
}

/** The source of a module with the override applied when the module is loaded. */
export function withOverride(source, { module, constant, values }) {
  if (!new RegExp(`^(export )?const ${constant}\\b`, "m").test(source))
    throw new Error(`${module} declares no constant ${constant}`);
  return `${source}\nfor (const [key, value] of Object.entries(${JSON.stringify(values)}))
    Object.assign(${constant}, { [key]: typeof value === "object" ? Object.assign(${constant}[key], value) : value });\n`;
}

async function buildWorker(outfile, overrides) {
  const applied = new Set();
  const byPath = groupedByPath(overrides);
  const replace = {
    name: "other-weights",
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const here = byPath.get(path);
        if (here === undefined) return undefined;
        applied.add(path);
        return { contents: here.reduce(withOverride, readFileSync(path, "utf8")), loader: "ts" };
      });
    },
  };
  await build({
    absWorkingDir: root,
    entryPoints: ["src/worker/main.ts"],
    outfile,
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20.19",
    external: ["better-sqlite3"],
    loader: { ".sql": "text" },
    define: { "import.meta.url": "__moduleUrl" },
    banner: { js: 'const __moduleUrl=require("node:url").pathToFileURL(__filename).href;' },
    plugins: [replace],
    logLevel: "error",
  });
  const unused = [...byPath.keys()].filter((path) => !applied.has(path));
  if (unused.length > 0) throw new Error(`the worker does not load ${unused.join(", ")}`);
}

function groupedByPath(overrides) {
  const groups = new Map();
  for (const override of overrides) {
    const path = join(root, override.module);
    groups.set(path, [...(groups.get(path) ?? []), override]);
  }
  return groups;
}
