// `mem help exit-codes`: what each exit code means.
import type { Command } from "commander";
import { addCommand, type JsonOptions, jsonOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import { errorCodesOf, exitCodes } from "../exit-codes.ts";
import { printTable } from "../table.ts";

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
      else
        printTable(
          io,
          [{ title: "Code", align: "right" }, { title: "Meaning" }],
          items.map(({ code, meaning }) => [String(code), meaning]),
        );
    },
  });
}
