// The process of a command: dist/cli.cjs runs the bundle of the command line with V8's code cache; the parts that only some
// commands need are modules in dist/cli/.
import type { Script } from "node:vm";
import { runCompiled, storeCodeCache } from "../core/compiled-code.ts";
import { refusedNode } from "../core/node-api.ts";

// Set by the build.
declare const codeName: string;

/** What src/cli/main.ts exports. */
interface CommandLine {
  main(words: readonly string[]): Promise<void>;
}

/** Runs the words after `mem`. Where no cache was there, what this command compiled is stored for the next one. */
export async function main(words: readonly string[]): Promise<void> {
  // First: an older Node may not even run the code below.
  const refusal = refusedNode();
  if (refusal !== null) {
    process.stderr.write(`${refusal.message}\n${refusal.hint}\n`);
    process.exitCode = 69;
    return;
  }
  let compiled: Script | undefined;
  const commandLine = runCompiled(__dirname, codeName, {
    load: (part) => import(part),
    onCompiled: (script) => {
      compiled = script;
    },
  }) as CommandLine;
  await commandLine.main(words);
  if (compiled !== undefined) storeCodeCache(__dirname, codeName, compiled);
}
