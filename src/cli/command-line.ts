// One command line: words to a command, an error to an exit code. Both happen here and nowhere else.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type Command, CommanderError } from "commander";
import { codeOf } from "../core/error-code.ts";
import { MemError } from "../core/errors.ts";
import { toLocalError } from "../core/output-file.ts";
import { childEnvironment, type Environment, pagerCommand, wantsColor } from "../settings/environment.ts";
import { terminalText } from "../text/terminal-text.ts";
import { createCliContext } from "./context.ts";
import { isInteractive, openScreens } from "./interactive.ts";
import { createIo, type Io, lessOptions, type Streams, snakeCased } from "./io.ts";
import { buildProgram, helpWords, usageText } from "./program.ts";
import { expandShortForms } from "./short-forms.ts";
import { stepLines } from "./table.ts";

interface CommandLine {
  environment: Environment;
  streams: Streams;
  /** Called when stdout fails, perhaps after the command has ended. */
  onOutputFailure(exitCode: number): void;
}

/** Runs the words after `mem`; the exit code. */
export async function runCommandLine(
  given: readonly string[],
  { environment, streams, onOutputFailure }: CommandLine,
): Promise<number> {
  const options = given.includes("--") ? given.slice(0, given.indexOf("--")) : given;
  const asJson = options.includes("--json");
  const pager = options.includes("--no-pager") || asJson ? null : pagerCommand(environment);
  const words = given.filter((word, at) => word !== "--no-pager" || at >= options.length);
  let outputCode: number | undefined;
  const io = createIo({
    streams,
    color: wantsColor(environment, streams.stdout.isTTY === true),
    errColor: wantsColor(environment, streams.stderr.isTTY === true),
    page: pager === null ? null : (text) => showInPager(pager, text, environment),
    // The command ends by itself, so that it cleans up; stdout may fail before or after that.
    onOutputFailure(cause) {
      const error = new MemError("output_failed", {
        message: `The output cannot be written (${cause.message}).`,
      });
      outputCode ??= report(io, error, asJson);
      onOutputFailure(outputCode);
    },
  });
  const context = createCliContext(io, environment);
  const full = expandShortForms(words);
  const program = buildProgram(context, { asJson, first: full[0] });
  try {
    if (words.length === 0 && isInteractive(environment, io)) await openScreens(context, { feedOnly: false });
    else await program.parseAsync(helpWords(program, full, given[0] === "help"), { from: "user" });
    return outputCode ?? context.exitCode();
  } catch (thrown) {
    // Help and version end with 0.
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return outputCode ?? 0;
    const error =
      thrown instanceof CommanderError ? usageError(thrown, helpOf(program, full)) : toLocalError(thrown);
    // The reader of the output took what it wanted, as `head` does.
    if (isClosedPipe(error)) return outputCode ?? context.exitCode();
    // Commander has printed its own message for people.
    if (thrown instanceof CommanderError && !asJson) return error.exitCode;
    return report(io, error, asJson);
  } finally {
    await context.close();
  }
}

function usageError({ message }: CommanderError, help: string): MemError {
  const [first = "", ...more] = usageText(message).split("\n");
  return new MemError("usage", { message: first, hint: [...more, `See \`${help}\`.`].join(" ") });
}

/** The help of the command that the words begin with. */
function helpOf(program: Command, [word, ...rest]: readonly string[], path = "mem"): string {
  const command = program.commands.find((each) => each.name() === word);
  return command === undefined ? `${path} --help` : helpOf(command, rest, `${path} ${command.name()}`);
}

function isClosedPipe({ code, cause }: MemError): boolean {
  return code === "output_failed" && codeOf(cause) === "EPIPE";
}

function report(io: Io, error: MemError, asJson: boolean): number {
  if (asJson) {
    io.err(JSON.stringify(snakeCased(error.toBody())));
    return error.exitCode;
  }
  for (const line of linesOf(io, error.message)) io.err(io.errPaint.red(line));
  for (const line of linesOf(io, error.hint ?? "")) io.err(line);
  if (error.code === "internal" && error.cause !== undefined) io.err(io.errPaint.dim(causeText(error.cause)));
  return error.exitCode;
}

// One line each for scripts; as wide as the terminal for people.
function linesOf(io: Io, text: string): string[] {
  if (text === "") return [];
  return io.talksToTerminal
    ? text.split("\n").flatMap((line) => stepLines(line, io.columns))
    : [terminalText(text)];
}

function causeText(cause: unknown): string {
  return terminalText(cause instanceof Error ? (cause.stack ?? cause.message) : String(cause));
}

/** Resolves when the pager has ended. Without such a program the text goes straight to stdout. */
async function showInPager(
  [program = "", ...rest]: readonly string[],
  text: string,
  environment: Environment,
): Promise<void> {
  const env = childEnvironment(environment, { LESS: lessOptions(environment.LESS) });
  const pager = spawn(program, rest, { env, stdio: ["pipe", "inherit", "inherit"] });
  const ignore = () => undefined;
  // Ctrl-C is for the pager, and a pager that is left early reads no more.
  process.on("SIGINT", ignore);
  pager.stdin.on("error", ignore);
  try {
    pager.stdin.end(text);
    await once(pager, "exit");
  } catch {
    process.stdout.write(text);
  } finally {
    process.off("SIGINT", ignore);
  }
}
