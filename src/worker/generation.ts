// Builds generation: the configured model with its circuit breaker and budget, local rules behind it, and the scheduler.
import type { Clock } from "../core/clock.ts";
import { failOpen } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { Made } from "../core/records/drafts.ts";
import { createActiveSessions } from "../generate/active-sessions.ts";
import { localBatching, modelBatching } from "../generate/batching.ts";
import { type CircuitBreaker, createCircuitBreaker } from "../generate/circuit-breaker.ts";
import { createMeteredClient } from "../generate/metered-client.ts";
import { createChosenModel } from "../generate/model/chosen-model.ts";
import type { ModelClient } from "../generate/model-client.ts";
import type { Provider } from "../generate/provider.ts";
import { createLocalProvider } from "../generate/providers/local/local.ts";
import { reapOrphans } from "../generate/providers/subscription/call-record.ts";
import { callRecords } from "../generate/providers/subscription/client.ts";
import { createRegenerator, type Regenerator } from "../generate/regenerate.ts";
import { createRegenerationPlan, type PlanRegeneration } from "../generate/regeneration-plan.ts";
import { type Concurrency, createScheduler, type Scheduler } from "../generate/scheduler.ts";
import { createModelProvider, type ModelProvider } from "../generate/writer.ts";
import type { Environment } from "../settings/environment.ts";
import type { LoadedSettings } from "../settings/load.ts";
import { loadActiveMode } from "../settings/modes/load-mode.ts";
import { createGenerationQueue } from "../store/sqlite/generation-queue.ts";
import type { Store } from "../store/sqlite/store.ts";
import type { Cost } from "./cost.ts";

interface GenerationDeps {
  store: Store;
  settings: LoadedSettings;
  env: Environment;
  log: Log;
  clock: Clock;
  cost: Pick<Cost, "spend" | "prices">;
  /** Owner of the leases: this run of the worker. */
  instance: string;
  /** Resolves when intake is idle enough. */
  idle(): Promise<void>;
  /** New or changed records. */
  onMade(made: Made): void;
  /** The circuit breaker changed its state. */
  onChange(): void;
}

export interface Generation {
  scheduler: Scheduler;
  regenerator: Regenerator & { plan: PlanRegeneration };
  circuit: Pick<CircuitBreaker, "state">;
  /** Whether `local` writes instead of a model that may not be called. */
  localWrites(): boolean;
  /** Whether that is because a login that the user never chose is refused. */
  isFallback(): boolean;
  /** The active provider and its model; `local` where none is configured. */
  writer(): { active: string; model: string | null };
  /** Schedules what is due, and retries a paused provider unless its vendor timed the pause. */
  retryNow(): ReturnType<CircuitBreaker["retryNow"]>;
  start(): void;
  /** Releases claimed messages and cancels every call; resolves when nothing runs. */
  close(): Promise<void>;
}

// A local batch never waits for anything. A model's call takes seconds, most of them waiting.
const localCalls = { calls: 2, slowAfterMs: 20_000, most: 2 };
const modelCalls = { calls: 2, slowAfterMs: 15_000, most: 16 };
// Each takes about 200 MB.
const subscriptionCalls = { ...modelCalls, most: 4 };

function concurrencyOf(model: Provider | null, { get }: LoadedSettings): Concurrency {
  if (model === null) return localCalls;
  const runsCli = get("MEM_PROVIDER") === "primary" && get("MEM_PRIMARY_AUTH_METHOD") === "subscription";
  return runsCli ? subscriptionCalls : modelCalls;
}

export function createGeneration(deps: GenerationDeps): Generation {
  const { store, settings, log, clock, cost, onMade } = deps;
  const warn = (sentence: string): void => log.warn(sentence);
  const client = createChosenModel({ settings, env: deps.env, clock, warn });
  const model = client === null ? null : modelProvider(client, { ...deps, warn });
  const local = createLocalProvider();
  const circuit = createCircuitBreaker({ onChange: deps.onChange });
  const { localWrites, isFallback } = createLocalState(deps, model, circuit);
  const common = {
    circuit,
    clock,
    // A batch takes a few calls when answers are useless or too long.
    timeoutMs: 2 * settings.get("MEM_GENERATION_TIMEOUT_MS") + 60_000,
    idle: deps.idle,
    onCompleted: onMade,
    onFailure: (error: string, messages: number) => log.warn({ messages }, `generation failed: ${error}`),
  };
  const queue = createGenerationQueue(store, deps.instance);
  const scheduler = createScheduler({
    ...common,
    queue,
    provider: model ?? local,
    local: model === null ? null : local,
    // A past of years would use up the budget of a month: `mem regenerate` asks the model when the user wants it.
    localWrites: (sessionId) => localWrites() || (model !== null && queue.isImported(sessionId, clock.now())),
    sessions: createActiveSessions({ clock }),
    batching: model === null ? localBatching : modelBatching,
    concurrency: concurrencyOf(model, settings),
  });
  const list = store.regenerations;
  const { maxMessages } = modelBatching;
  const regenerator = createRegenerator({ ...common, list, model, maxMessages });
  const plan = createRegenerationPlan({ ...cost, list, client, model, maxMessages });

  return {
    scheduler,
    regenerator: { ...regenerator, plan },
    circuit,
    localWrites,
    isFallback,
    writer: () => ({ active: client?.name ?? "local", model: client?.model ?? null }),
    retryNow() {
      const result = circuit.retryNow(clock.now());
      void scheduler.scheduleDue();
      return result;
    },
    start() {
      // Calls that a killed worker left running use up the user's subscription.
      void failOpen("ending calls of an earlier worker", () =>
        reapOrphans(callRecords(settings.paths.hostCli)),
      );
      // A fault that is visible without a call is shown now, not when the first message is due.
      const fault = client?.fault?.() ?? null;
      if (fault !== null) circuit.admit(clock.now(), 0)?.failed(fault, clock.now());
      scheduler.start();
    },
    async close() {
      await Promise.all([scheduler.stop(), regenerator.close()]);
      await client?.close();
    },
  };
}

/** When `local` writes instead of the model. */
function createLocalState(
  { settings, cost, clock }: Pick<GenerationDeps, "settings" | "cost" | "clock">,
  model: Provider | null,
  circuit: CircuitBreaker,
): Pick<Generation, "localWrites" | "isFallback"> {
  // A host CLI on PATH does not prove that its login may be used. A user who chose nothing is not left without a
  // memory; a refusal of what the user chose is shown instead.
  const isChosen = (["MEM_PROVIDER", "MEM_PRIMARY_AUTH_METHOD", "HOST_CLI_PATH"] as const).some(
    (key) => settings.source(key) !== "default",
  );
  // Also while it is probed: nothing has changed until it answers.
  const isFallback = (): boolean =>
    !isChosen && circuit.answers() === 0 && circuit.state(clock.now()).reason?.kind === "auth";
  return {
    isFallback,
    localWrites() {
      if (model === null) return false;
      if (cost.spend.spent() !== null) return true;
      if (circuit.state(clock.now()).state !== "paused") return false;
      // When the pause ends there is no budget for a call either.
      return cost.spend.exhausted() !== null || isFallback();
    },
  };
}

function modelProvider(
  client: ModelClient,
  {
    settings,
    cost,
    clock,
    warn,
  }: Pick<GenerationDeps, "settings" | "cost" | "clock"> & { warn(sentence: string): void },
): ModelProvider {
  const { mode, warnings } = loadActiveMode(settings.get("MEM_MODE"), { dataDir: settings.dataDir });
  for (const warning of warnings) warn(warning);
  const metered = createMeteredClient({ client, ...cost, clock });
  return createModelProvider({ client: metered, mode });
}
