// The `subscription` method of the `primary` provider: every call runs the user's own host CLI with its own login. No
// token is read here.
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../../core/clock.ts";
import { MemError } from "../../../core/errors.ts";
import type { ModelAnswer, ModelClient, ModelRequest } from "../../model-client.ts";
import { ModelFailure } from "../../model-failure.ts";
import { hostCliEnvironment, refuseForeignGateway, secretsOf } from "./environment.ts";
import { readAnswer } from "./result.ts";
import { commandFault, type HostCliOutput, runHostCli } from "./run.ts";

export interface SubscriptionOptions {
  /** Absolute path of the host CLI. */
  command: string;
  /** Full id of the model. */
  model: string;
  /** The worker's environment; the CLI gets only the names it needs. */
  environment: Readonly<Record<string, string | undefined>>;
  /** A folder of the data directory for the CLI's working folder and the records of running calls. */
  directory: string;
  clock: Clock;
  /** Of one run. */
  deadlineMs?: number;
  /** Between SIGTERM and SIGKILL. */
  graceMs?: number;
}

const defaultDeadlineMs = 120_000;
const defaultGraceMs = 2_000;

/** The folder of the records of running calls, for `reapOrphans`. */
export function callRecords(directory: string): string {
  return join(directory, "calls");
}

/** Its processes are gone when a call or `close()` has ended, however it ended. */
export function createSubscriptionClient(options: SubscriptionOptions): ModelClient {
  const { command, model, environment, directory, clock } = options;
  const { deadlineMs = defaultDeadlineMs, graceMs = defaultGraceMs } = options;
  const running = new Map<AbortController, Promise<ModelAnswer>>();
  let isClosed = false;

  // Not AbortSignal.any: on Node 20 it keeps every call alive as long as the caller's signal lives.
  async function ask(
    request: ModelRequest,
    signal: AbortSignal,
    ending: AbortController,
  ): Promise<ModelAnswer> {
    const onAbort = (): void => ending.abort();
    signal.addEventListener("abort", onAbort, { once: true });
    const timer = setTimeout(() => ending.abort(tooLate(deadlineMs)), deadlineMs);
    try {
      refuseForeignGateway(environment);
      const output = await run(request, ending.signal);
      return readAnswer(output, { model, now: clock.now(), secrets: secretsOf(environment) });
    } catch (cause) {
      throw isClosed || signal.aborted ? cancelled(cause) : cause;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    }
  }

  function run(request: ModelRequest, signal: AbortSignal): Promise<HostCliOutput> {
    return runHostCli(
      {
        command,
        args: hostCliArguments(request, model),
        env: hostCliEnvironment(environment, { maxOutputTokens: request.maxOutputTokens, deadlineMs }),
        folder: emptyFolder(directory),
        records: callRecords(directory),
        input: hostCliInput(request),
        graceMs,
      },
      signal,
    );
  }

  return {
    name: "primary",
    model,
    fault: () => commandFault(command),
    async complete(request, signal) {
      if (isClosed || signal.aborted) throw cancelled(signal.reason);
      const ending = new AbortController();
      const call = ask(request, signal, ending);
      running.set(ending, call);
      try {
        return await call;
      } finally {
        running.delete(ending);
      }
    },
    async close() {
      isClosed = true;
      for (const ending of running.keys()) ending.abort();
      await Promise.allSettled(running.values());
    },
  };
}

function cancelled(cause: unknown): MemError {
  return new MemError("cancelled", { message: "The call of the host CLI was cancelled.", cause });
}

function tooLate(deadlineMs: number): ModelFailure {
  return new ModelFailure("timeout", `The host CLI gave no answer within ${deadlineMs / 1_000} s.`);
}

// Reading is denied because the CLI attaches files that a prompt names as @path, and prompts quote foreign text.
const childSettings = { disableAllHooks: true, permissions: { deny: ["Read"] } };

// Without the prompt: `ps` shows arguments to every user of the machine. Without the schema: with `--json-schema` the
// CLI offers a tool for the answer, and pays for a second request when the model writes the JSON as text.
function hostCliArguments({ system }: ModelRequest, model: string): string[] {
  return [
    ...["--print", "--output-format", "json"],
    ...["--model", model],
    ...["--system-prompt", system],
    ...["--tools", ""],
    // No settings of user or project: with them go hooks, plugins and CLAUDE.md.
    ...["--setting-sources", ""],
    ...["--settings", JSON.stringify(childSettings)],
    "--strict-mcp-config",
    "--disable-slash-commands",
    "--no-session-persistence",
  ];
}

// The CLI takes a text that starts with a slash for a command.
function hostCliInput({ prompt }: ModelRequest): string {
  return prompt.startsWith("/") ? `\n${prompt}` : prompt;
}

// The CLI tells the model about its working folder, and reads instructions and settings there.
function emptyFolder(directory: string): string {
  const folder = join(directory, "empty");
  try {
    for (const path of [directory, callRecords(directory), folder]) {
      mkdirSync(path, { recursive: true, mode: 0o700 });
      chmodSync(path, 0o700);
    }
    return folder;
  } catch (cause) {
    throw new ModelFailure("unavailable", `${directory} cannot be written.`, { cause });
  }
}
