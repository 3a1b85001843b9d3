// The `subscription` way of the `primary` provider: every call is one run of the user's own host CLI, which asks its
// vendor with its own login. No token is read here; the CLI gets a text and gives one back.
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../../core/clock.ts";
import { MemError } from "../../../core/errors.ts";
import type { ModelAnswer, ModelClient, ModelRequest } from "../../model-client.ts";
import { ModelFailure } from "../../model-failure.ts";
import { hostCliArguments, hostCliInput } from "./arguments.ts";
import { hostCliEnvironment, refuseForeignGateway, secretsOf } from "./environment.ts";
import { readAnswer } from "./result.ts";
import { commandFault, type HostCliOutput, runHostCli } from "./run.ts";
import { createSlots } from "./slots.ts";

export interface SubscriptionOptions {
  /** Absolute path of the host CLI. */
  command: string;
  /** Full id of the model. */
  model: string;
  /** The worker's environment; what the CLI does not need is left out. */
  environment: Readonly<Record<string, string | undefined>>;
  /** A folder of the data directory that nothing else uses: the CLI's working folder and the records of running calls. */
  directory: string;
  clock: Clock;
  /** Runs of the CLI at once; each takes about 200 MB. */
  poolSize?: number;
  /** Of one run. */
  deadlineMs?: number;
  /** Between SIGTERM and SIGKILL. */
  graceMs?: number;
}

const defaultPoolSize = 2;
const defaultDeadlineMs = 120_000;
const defaultGraceMs = 2_000;

/** Where in `directory` the records of running calls lie: what `reapOrphans` takes. */
export function callRecords(directory: string): string {
  return join(directory, "calls");
}

/** Asks through the host CLI. Its processes are gone when a call or `close()` has ended, however it ended. */
export function createSubscriptionClient(options: SubscriptionOptions): ModelClient {
  const { command, model, environment, directory, clock } = options;
  const { poolSize = defaultPoolSize, deadlineMs = defaultDeadlineMs, graceMs = defaultGraceMs } = options;
  const slots = createSlots(poolSize);
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
    let timer: NodeJS.Timeout | undefined;
    let release: (() => void) | undefined;
    try {
      refuseForeignGateway(environment);
      release = await slots.take(ending.signal);
      timer = setTimeout(() => ending.abort(tooLate(deadlineMs)), deadlineMs);
      const output = await run(request, ending.signal);
      return readAnswer(output, { model, now: clock.now(), secrets: secretsOf(environment) });
    } catch (cause) {
      throw isClosed || signal.aborted ? cancelled(cause) : cause;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      release?.();
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

// The CLI tells the model about its working folder and reads instructions and settings that lie there.
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
