// The examples at the end of every command's help.
import type { Command } from "commander";

/** Adds examples: each a command line and what it does. */
export function withExamples(command: Command, examples: readonly (readonly [string, string])[]): Command {
  const width = Math.max(...examples.map(([line]) => line.length));
  const lines = examples.map(([line, what]) => `  ${line.padEnd(width)}  ${what}`.trimEnd());
  return command.addHelpText("after", `\nExamples:\n${lines.join("\n")}`);
}
