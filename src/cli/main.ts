// The command line: words to a command, an error to an exit code. Both happen here and nowhere else.
import { CommanderError } from "commander";
import { MemError, toMemError } from "../core/errors.ts";
import { restrictUmask } from "../settings/data-dir.ts";
import { processEnvironment, wantsColor } from "../settings/environment.ts";
import { terminalText } from "../text/terminal-text.ts";
import { createCliContext } from "./context.ts";
import { createIo, type Io } from "./io.ts";
import { buildProgram } from "./program.ts";

const usageExitCode = 64;

restrictUmask();
process.exitCode = await run(process.argv.slice(2));

/** Runs one command line; the exit code. */
async function run(words: readonly string[]): Promise<number> {
  const environment = processEnvironment();
  const asJson = words.includes("--json");
  let outputCode: number | undefined;
  const io = createIo({
    color: wantsColor(environment, process.stdout.isTTY),
    errColor: wantsColor(environment, process.stderr.isTTY),
    // The command ends by itself, so that it cleans up; the failure may be heard of before or after that.
    onOutputFailure(cause) {
      const error = new MemError("output_failed", {
        message: `The output cannot be written (${cause.message}).`,
      });
      outputCode ??= report(io, error, asJson);
      process.exitCode = outputCode;
    },
  });
  const context = createCliContext(io, environment);
  try {
    await buildProgram(context).parseAsync(words.length === 0 ? ["--help"] : words, { from: "user" });
    return outputCode ?? context.exitCode();
  } catch (thrown) {
    // Commander has printed its own sentence; help and version are no errors.
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? (outputCode ?? 0) : usageExitCode;
    const error = toMemError(thrown);
    // Who reads the output has gone away: there is nobody to tell. The code says that the output is not whole.
    if (isClosedPipe(error)) return error.exitCode;
    return report(io, error, asJson);
  } finally {
    await context.close();
  }
}

function isClosedPipe({ code, cause }: MemError): boolean {
  return code === "output_failed" && cause instanceof Error && "code" in cause && cause.code === "EPIPE";
}

function report(io: Io, error: MemError, asJson: boolean): number {
  if (asJson) {
    io.err(JSON.stringify(error.toBody()));
    return error.exitCode;
  }
  io.err(io.errPaint.red(terminalText(error.message)));
  if (error.hint !== undefined) io.err(terminalText(error.hint));
  if (error.code === "internal" && error.cause !== undefined) io.err(io.errPaint.dim(causeText(error.cause)));
  return error.exitCode;
}

function causeText(cause: unknown): string {
  return terminalText(cause instanceof Error ? (cause.stack ?? cause.message) : String(cause));
}
