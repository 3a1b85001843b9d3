#!/usr/bin/env node
// Looks at the first word and loads the right bundle: a hook must not pay for the command line. It is required, not
// imported: importing a CommonJS file starts Node's loader of modules, which costs as much again.
import { createRequire } from "node:module";

if (process.argv[2] === "hook") createRequire(import.meta.url)("../dist/hook.cjs");
else await import("../dist/cli/main.js");
