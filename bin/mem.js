#!/usr/bin/env node
// Loads the bundle of the first word: a hook must not load the command line. A CommonJS file, by bin/package.json: Node's
// loader of ES modules costs 10 ms.
try {
  if (process.argv[2] === "hook") require("../dist/hook.cjs");
  else require("../dist/cli.cjs").main(process.argv.slice(2));
} catch (cause) {
  if (cause?.code !== "MODULE_NOT_FOUND") throw cause;
  // A clone without installed packages. A hook stays silent there.
  if (process.argv[2] !== "hook") {
    const folder = require("node:path").join(__dirname, "..");
    process.stderr.write(`mem is not built yet: run \`npm install\` in ${folder}\n`);
    process.exitCode = 69;
  }
}
