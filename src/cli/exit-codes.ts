// The exit codes of the command line: one table, for `mem help exit-codes` and docs/cli.md, and that command.
import type { Command } from "commander";
import { errorCatalogue } from "../core/errors.ts";
import { addCommand, type JsonOptions, jsonOption } from "./command.ts";
import type { CliContext } from "./context.ts";
import { printBeside } from "./table.ts";

/** Every exit code. 64 to 78 are the codes of sysexits.h. */
export const exitCodes: ReadonlyMap<number, string> = new Map([
  [0, "Success"],
  [1, "`mem doctor` found something broken"],
  [64, "Usage: an unknown command, option or value"],
  [65, "The data does not fit, or contradicts what is stored"],
  [66, "Not found"],
  [69, "The worker, the server or a provider is not available"],
  [70, "Internal error"],
  [74, "Reading or writing failed, for example on a full disk"],
  [75, "Not done yet, or limited: try again later"],
  [77, "Not permitted"],
  [78, "Configuration: the data directory, a setting or a model"],
  [130, "Cancelled, for example with Ctrl-C"],
]);

/** The codes of `error.code` in JSON that end with this exit code. */
export function errorCodesOf(exitCode: number): string[] {
  return Object.entries(errorCatalogue).flatMap(([code, entry]) =>
    entry.exitCode === exitCode ? [code] : [],
  );
}

/** Exit codes that commands set themselves. */
export const exitCode = {
  brokenCheck: 1,
  invalidData: 65,
  notFound: 66,
  retryLater: 75,
} as const;

/** Adds `mem exit-codes`, which the list of commands leaves out. */
export function registerExitCodes(program: Command, context: CliContext): void {
  const { io } = context;
  addCommand(program, context, {
    name: "exit-codes",
    hidden: true,
    about: "list the exit codes of mem",
    options: [jsonOption],
    examples: ["mem help exit-codes # the table", "mem worker status; echo $? # the code of one command"],
    run: ({ json }: JsonOptions) => {
      const items = [...exitCodes].map(([code, meaning]) => ({ code, meaning, errors: errorCodesOf(code) }));
      if (json === true) io.json({ items });
      else {
        io.out(io.paint.dim("Code  Meaning"));
        for (const { code, meaning } of items) printBeside(io, `${String(code).padStart(4)}  `, 6, meaning);
      }
    },
  });
}
