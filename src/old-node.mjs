// Run by `npm install` in a clone, and by `npm run old-node`: a Node before Node-API 10 gets better-sqlite3 12, compiled, in
// node_modules/.old-node. Version 13 stays for newer ones, so that one clone runs with both.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../node_modules/.old-node/", import.meta.url));
const { node, napi } = process.versions;
const manifest = {
  private: true,
  dependencies: { "better-sqlite3": "12.11.1" },
  allowScripts: { "better-sqlite3": true },
};
// They win over `npm_config_*`, by which the npm around this one passes on its own, as `npm install --global .` does.
const options = [
  ...[
    "--prefix",
    folder,
    "--location=project",
    "--no-global",
    "--no-workspaces",
    "--install-strategy=hoisted",
  ],
  ...["--no-ignore-scripts", "--no-dry-run", "--no-package-lock", "--no-package-lock-only"],
  ...["--no-engine-strict", "--no-audit", "--no-fund", "--loglevel=error"],
];

if (Number(napi) < 10 && !loads()) {
  process.stdout.write(`Compiling SQLite for Node ${node}, which takes a minute or two.\n`);
  install();
  if (!loads()) {
    rmSync(folder, { recursive: true, force: true });
    process.stderr.write(
      `SQLite could not be compiled for Node ${node}. Install python3, make and a C++ compiler, or use Node 22.14 or newer; then run \`npm install\` again.\n`,
    );
    process.exitCode = 1;
  }
}

function loads() {
  try {
    const Older = createRequire(folder)("./node_modules/better-sqlite3");
    new Older(":memory:").close();
    return true;
  } catch {
    return false;
  }
}

// Into an empty folder: npm compiles nothing for a package that is there, such as one that another Node has compiled.
function install() {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  spawnSync("npm", ["install", ...options], { stdio: "inherit", shell: process.platform === "win32" });
}
