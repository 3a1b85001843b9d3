#!/usr/bin/env node
// Loads the bundle of the first word: a hook must not load the command line. It is required, not
// imported: importing a CommonJS file starts Node's loader of modules, which costs as much again.
import { createRequire } from "node:module";

try {
  const require = createRequire(import.meta.url);
  if (process.argv[2] === "hook") require("../dist/hook.cjs");
  else await require("../dist/cli.cjs").main(process.argv.slice(2));
} catch (cause) {
  if (!/^(ERR_)?MODULE_NOT_FOUND$/.test(cause?.code)) throw cause;
  // A clone without installed packages. A hook stays silent there.
  if (process.argv[2] !== "hook") {
    const { fileURLToPath } = await import("node:url");
    const folder = fileURLToPath(new URL("..", import.meta.url));
    process.stderr.write(`mem is not built yet: run \`npm install\` in ${folder}\n`);
    process.exitCode = 69;
  }
}
