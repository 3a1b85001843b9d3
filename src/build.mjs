// Builds the bundles in dist/: the hook (without packages), the worker with its threads and processes, the command line,
// the pages of the viewer; the plugins in hooks/; the manual pages in man/.
// A bundle starts faster than separate files: 115 ms against 177 ms to the worker's first reply.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, context } from "esbuild";
import { lateModules, lateRouterCode } from "./late-code.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");
const watch = process.argv.includes("--watch");
const bundledPackages = new Set();

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20.19",
  external: ["better-sqlite3"],
  loader: { ".sql": "text" },
  // dist/third-party-licenses.txt has whole licenses.
  legalComments: "none",
  metafile: true,
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: "warning",
};

// CommonJS starts a few milliseconds faster than an ES module, but needs import.meta.url defined.
const commonJs = {
  format: "cjs",
  outExtension: { ".js": ".cjs" },
  define: { "import.meta.url": "__moduleUrl" },
  banner: { js: 'const __moduleUrl=require("node:url").pathToFileURL(__filename).href;' },
};

// Start time is the cost of a hook: code that only a failed delivery needs goes into hook-fallback.cjs.
const hookBundle = {
  format: "cjs",
  outdir: "dist",
  outExtension: { ".js": ".cjs" },
  minify: true,
  // Compile `import()` to require: the ES module loader costs 20 ms.
  supported: { "dynamic-import": false },
};

// fastify loads its compilers and test client on demand, and the worker never does: 0.45 MB less to parse at start. The
// package has no dependency on them.
const workerPackages = [
  ...common.external,
  "@fastify/ajv-compiler",
  "@fastify/fast-json-stringify-compiler",
  "light-my-request",
];

// Loaded at the first call to a model over HTTP: 0.7 MB, 40 ms and 20 MB of memory.
const undiciBeside = {
  name: "undici-beside",
  setup({ onResolve }) {
    onResolve({ filter: /^undici$/ }, () => ({ path: "./undici.cjs", external: true }));
  },
};

// Code for src/core/compiled-code.ts. With --watch the worker and the command line are normal bundles.
const fallbackCode = {
  ...common,
  ...hookBundle,
  ...commonJs,
  entryPoints: { "hook-fallback": "src/hosts/hook/fallback.ts" },
};
const workerCode = {
  ...common,
  ...commonJs,
  // `import()` does not work in cached code, so it becomes require.
  supported: { "dynamic-import": false },
  external: workerPackages,
  // 3 ms of the start, with TLS.
  plugins: [lateModules("http2", "https", "zlib"), lateRouterCode, undiciBeside],
  entryPoints: { worker: "src/worker/main.ts" },
  outdir: "dist",
};
const functionAround = {
  banner: { js: `(function(exports,require,module,__filename,__dirname,__import){${commonJs.banner.js}` },
  footer: { js: "})" },
};

// What the command line loads with `import()`, such as its screens and the server: modules in dist/cli/, by their files.
const lateParts = new Map();
const partsBeside = {
  name: "late-parts-beside",
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^\./ }, async ({ path, kind, resolveDir, importer, pluginData }) => {
      if (kind !== "dynamic-import" || pluginData === "resolved") return undefined;
      const found = await resolve(path, { kind, resolveDir, importer, pluginData: "resolved" });
      const name = relative(join(root, "src"), found.path)
        .replace(/\.tsx?$/, "")
        .replaceAll(sep, "-");
      lateParts.set(name, found.path);
      return { path: `./cli/${name}.js`, external: true };
    });
  },
};
const commandLineCode = {
  ...common,
  ...commonJs,
  // What a search does not call.
  plugins: [
    partsBeside,
    lateModules(
      ...["child_process", "crypto", "fs/promises"],
      ...["readline", "readline/promises"],
      "stream/consumers",
    ),
    undiciBeside,
  ],
  entryPoints: { cli: "src/cli/main.ts" },
  outdir: "dist",
};

const commandLineParts = {
  ...common,
  format: "esm",
  splitting: true,
  outdir: "dist/cli",
  // An optional driver of pg, which is not installed.
  external: [...common.external, "pg-native"],
  // React's build for users instead of both builds.
  define: { "process.env.NODE_ENV": '"production"' },
  // ink's optional developer tools.
  alias: { "react-devtools-core": "./src/cli/tui/no-devtools.ts" },
  banner: {
    js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
  },
};

const bundles = [
  {
    ...common,
    ...commonJs,
    external: workerPackages,
    plugins: [undiciBeside],
    entryPoints: {
      "check-process": "src/worker/check-process.ts",
      "erase-process": "src/worker/erase-process.ts",
      "vector-thread": "src/worker/vector-thread.ts",
      "clean-thread": "src/worker/clean-thread.ts",
      "embed-process": "src/worker/embed-process.ts",
    },
    outdir: "dist",
  },
  { ...common, ...commonJs, entryPoints: { undici: "undici" }, outdir: "dist" },
];

// Plugins that run in their host's process: each folder has the whole plugin.
const plugins = [
  { "openclaw/index": "src/hosts/openclaw-plugin/plugin.ts" },
  { "opencode/mem": "src/hosts/opencode-plugin/main.ts" },
  { "pi/mem": "src/hosts/pi-plugin/main.ts" },
].map((entryPoints) => ({
  ...common,
  format: "esm",
  minify: true,
  entryPoints,
  outdir: "hooks",
  banner: { js: "// mem, built from src/hosts/ of the package agent-mem." },
}));

// The viewer loads files named by their content; the TV is one file, since other devices may load nothing else.
const browser = {
  ...common,
  platform: "browser",
  target: ["chrome123", "firefox120", "safari17.5"],
  external: [],
  format: "esm",
  minify: true,
  jsx: "automatic",
  jsxImportSource: "preact",
  outdir: "dist/viewer",
};
const pages = [
  {
    ...browser,
    entryPoints: { viewer: "src/viewer/main.tsx", icon: "src/viewer/icon.svg" },
    loader: { ".svg": "copy" },
    entryNames: "assets/[name]-[hash]",
    plugins: [htmlPage("src/viewer/index.html", { inline: false })],
  },
  {
    ...browser,
    entryPoints: { tv: "src/viewer/tv/main.tsx" },
    plugins: [htmlPage("src/viewer/tv/tv.html", { inline: true })],
  },
].map((page) => ({ ...page, write: false }));

/** Adds the page of a template: `/assets/viewer.js` becomes the address of that output, `inline` a comment its text. */
function htmlPage(template, { inline }) {
  async function addPage(result) {
    if (result.errors.length > 0) return;
    const text = await readFile(join(root, template), "utf8");
    const html = text.replace(
      inline ? /\/\* (\w+)(\.\w+) \*\//g : /\/assets\/(\w+)(\.\w+)/g,
      (_all, name, ending) => {
        const isMeant = ({ path }) => basename(path).split(/[-.]/)[0] === name && path.endsWith(ending);
        const output = result.outputFiles.find(isMeant);
        return inline ? output.text.trim() : `/assets/${basename(output.path)}`;
      },
    );
    const page = { path: join(dist, "viewer", basename(template)), contents: Buffer.from(html) };
    result.outputFiles = inline ? [page] : [...result.outputFiles, page];
    if (watch) await writeAll(result.outputFiles);
  }
  return { name: "html-page", setup: ({ onEnd }) => onEnd(addPage) };
}

const hook = (fallbackName) => ({
  ...common,
  ...hookBundle,
  entryPoints: { hook: "src/hosts/hook/main.ts" },
  define: { fallbackName: JSON.stringify(fallbackName) },
});
const start = (name, entry, codeName) => ({
  ...common,
  ...commonJs,
  entryPoints: { [name]: entry },
  outdir: "dist",
  define: { ...commonJs.define, codeName: JSON.stringify(codeName) },
});

if (watch) {
  const fallback = { ...fallbackCode, ...functionAround };
  // Names the parts.
  await made(commandLineCode);
  const cli = [commandLineCode, { ...commandLineParts, entryPoints: Object.fromEntries(lateParts) }];
  for (const options of [
    ...bundles,
    ...plugins,
    ...pages,
    ...cli,
    hook("hook-fallback"),
    fallback,
    workerCode,
  ]) {
    await (await context(options)).watch();
  }
} else {
  // A hook, a worker or a test may be running from dist/: every file is replaced atomically, obsolete files go last, and a
  // failed build changes nothing.
  const [workerFiles, fallbackFiles, commandFiles] = await Promise.all(
    [workerCode, fallbackCode, commandLineCode].map((code) => made({ ...code, ...functionAround })),
  );
  const worker = nameByDigest(workerFiles);
  const fallback = nameByDigest(fallbackFiles);
  const commands = nameByDigest(commandFiles);
  const rest = await Promise.all(
    [
      ...bundles,
      ...plugins,
      ...pages,
      { ...commandLineParts, entryPoints: Object.fromEntries(lateParts) },
      hook(fallback.name),
      start("worker", "src/worker/compiled-start.ts", worker.name),
      start("cli", "src/cli/compiled-start.ts", commands.name),
    ].map(made),
  );
  const code = [...workerFiles, ...fallbackFiles, ...commandFiles, ...rest.flat()];
  const files = [...code, ...(await manual()), await licenses()];
  await writeAll(files);
  const kept = new Set([
    ...files.map(({ path }) => path),
    ...(await compile("worker", worker.file)),
    ...(await compile("hook", fallback.file)),
    ...(await compile("cli", commands.file)),
  ]);
  for (const folder of [dist, join(root, "man")]) {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile() && !kept.has(path) && !path.endsWith(".new")) await rm(path, { force: true });
    }
  }
  await chmod(join(root, "bin", "mem.js"), 0o755);
}

// The pages come from the commands themselves, so their code runs here once.
async function manual() {
  const [code] = await made({
    ...commandLineParts,
    splitting: false,
    legalComments: "none",
    entryPoints: ["src/cli/man/pages.ts"],
  });
  const file = join(dist, `pages-${process.pid}.mjs`);
  await mkdir(dist, { recursive: true });
  await writeFile(file, code.contents);
  try {
    const { manualPages } = await import(pathToFileURL(file).href);
    const date = new Intl.DateTimeFormat("en-US", { dateStyle: "long" }).format();
    const pages = [...manualPages(date)];
    return pages.map(([name, text]) => ({ path: join(root, "man", name), contents: text }));
  } finally {
    await rm(file, { force: true });
  }
}

async function made(options) {
  const { outputFiles, metafile } = await build({ ...options, write: false });
  for (const path of Object.keys(metafile.inputs)) {
    const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
    if (folder !== undefined) bundledPackages.add(folder);
  }
  return outputFiles;
}

// The license of every package with code in a bundle: their authors ask that copies carry it.
async function licenses() {
  const texts = new Map();
  for (const folder of bundledPackages) {
    const { name, version, license } = JSON.parse(await readFile(join(root, folder, "package.json"), "utf8"));
    const file = (await readdir(join(root, folder))).find((each) => /^(licen[cs]e|copying)/i.test(each));
    const text = file === undefined ? "" : await readFile(join(root, folder, file), "utf8");
    texts.set(`${name} ${version}`, `${name} ${version} (${license})\n\n${text.trim()}\n`);
  }
  const sorted = [...texts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, text]) => text);
  return { path: join(dist, "third-party-licenses.txt"), contents: sorted.join(`\n${"-".repeat(80)}\n\n`) };
}

// Every file is complete before the first one is replaced.
async function writeAll(files) {
  for (const { path, contents } of files) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(newName(path), contents);
  }
  for (const { path } of files) await rename(newName(path), path);
}

function newName(path) {
  return `${path}.${process.pid}.new`;
}

// V8 stores ASCII code with one byte per character: 1.4 MB less. esbuild does not escape regular expressions, so this does.
// A backslash before such a character would escape the new backslash.
function nameByDigest(files) {
  const code = files.find(({ path }) => path.endsWith(".cjs"));
  // `import()` does not work in cached code: the start passes a function for it.
  const text = code.text.replaceAll('import("./', '__import("./').replaceAll(/\\?[^\0-\x7f]/g, (found) => {
    if (found.startsWith("\\")) throw new Error(`a character that is not ASCII is escaped: ${found}`);
    return `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
  code.contents = Buffer.from(text);
  const digest = createHash("sha256").update(text).digest("hex").slice(0, 12);
  const name = `${basename(code.path, ".cjs")}-${digest}`;
  code.path = join(dist, `${name}.cjs`);
  return { name, file: code.path };
}

// Writes the code cache for the Node that builds. All starts without it too, only slower, so a failure is a warning.
async function compile(what, codeFile) {
  const home = await mkdtemp(join(tmpdir(), "mem-build-"));
  try {
    const kept = Object.entries(process.env).filter(([name]) => !/^(MEM|NODE)_/.test(name));
    const settings = {
      HOME: home,
      USERPROFILE: home,
      MEM_DATA_DIR: home,
      MEM_WORKER_PORT: "0",
      MEM_PROVIDER: "local",
    };
    const printed = execFileSync(
      process.execPath,
      [join(root, "src", "compile-code.mjs"), what, codeFile, home],
      {
        cwd: home,
        env: { ...Object.fromEntries(kept), ...settings },
        timeout: 30_000,
        encoding: "utf8",
      },
    );
    const compiled = printed.trim();
    // The worker's umask is private; every user of the package may read this file.
    await chmod(compiled, 0o644);
    return [compiled];
  } catch (cause) {
    console.warn(`The ${what} will start slower, without a code cache: ${cause.message}`);
    return [];
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  }
}
