// The `subscription` way of the `primary` provider: every call is one run of the user's own host CLI, which asks its
// vendor with its own login. No token is read here; the CLI gets a text and gives one back.
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../../clock.ts";
import { MemError } from "../../../errors.ts";
import type { ModelAnswer, ModelClient, ModelRequest } from "../../model-client.ts";
import { ModelFailure } from "../../model-failure.ts";
import { hostCliArguments, hostCliInput } from "./arguments.ts";
import { hostCliEnvironment, refuseForeignGateway } from "./environment.ts";
import { readAnswer } from "./result.ts";
import { type HostCliOutput, runHostCli } from "./run.ts";
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
  const closing = new AbortController();
  const calls = new Set<Promise<ModelAnswer>>();

  async function ask(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer> {
    refuseForeignGateway(environment);
    const until = AbortSignal.any([signal, closing.signal]);
    const release = await slots.take(until).catch((cause: unknown) => {
      throw cancelled(cause);
    });
    const deadline = AbortSignal.timeout(deadlineMs);
    try {
      return readAnswer(await run(request, AbortSignal.any([until, deadline])), { model, now: clock.now() });
    } catch (cause) {
      if (until.aborted) throw cancelled(cause);
      if (!deadline.aborted || cause instanceof ModelFailure) throw cause;
      throw new ModelFailure("timeout", `The host CLI gave no answer in ${deadlineMs / 1_000} s.`, { cause });
    } finally {
      release();
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
    complete(request, signal) {
      const call = ask(request, signal);
      calls.add(call);
      const forget = (): void => void calls.delete(call);
      call.then(forget, forget);
      return call;
    },
    async close() {
      closing.abort();
      await Promise.allSettled(calls);
    },
  };
}

function cancelled(cause: unknown): MemError {
  return new MemError("cancelled", { message: "The call of the host CLI was cancelled.", cause });
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
