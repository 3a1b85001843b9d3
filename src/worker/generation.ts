// Everything that writes memory, put together: the model that is set, its gate, its budget, `local` behind it, the loop.
import type { Clock } from "../core/clock.ts";
import { failOpen } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { createActiveSessions } from "../generate/active-sessions.ts";
import { localBatching, modelBatching } from "../generate/batching.ts";
import { createCoalescingProvider } from "../generate/coalesce.ts";
import { createFlow, type Flow, type Hurried } from "../generate/flow.ts";
import type { Made } from "../generate/generate-batch.ts";
import { type Concurrency, createGenerationLoop, type GenerationLoop } from "../generate/loop.ts";
import { createMeteredClient } from "../generate/metered-client.ts";
import { createChosenModel, subscriptionPool } from "../generate/model/chosen-model.ts";
import type { ModelClient } from "../generate/model-client.ts";
import { systemPrompt } from "../generate/prompt.ts";
import type { Provider } from "../generate/provider.ts";
import { createLocalProvider } from "../generate/providers/local/local.ts";
import { reapOrphans } from "../generate/providers/subscription/call-record.ts";
import { callRecords } from "../generate/providers/subscription/client.ts";
import { createRegenerator, type Regenerator } from "../generate/regenerate.ts";
import { createRegenerationPlan, type PlanRegeneration } from "../generate/regeneration-plan.ts";
import { createStandInFlow, createStandInProvider } from "../generate/stand-in-provider.ts";
import { loadPrompts } from "../generate/writer/prompt-templates.ts";
import { createModelProvider } from "../generate/writer.ts";
import type { Environment } from "../settings/environment.ts";
import type { LoadedSettings } from "../settings/load.ts";
import { loadActiveMode } from "../settings/modes/load-mode.ts";
import { createGenerationQueue } from "../store/sqlite/generation-queue.ts";
import type { Store } from "../store/sqlite/store.ts";
import type { Cost } from "./cost-ports.ts";

interface GenerationDeps {
  store: Store;
  settings: LoadedSettings;
  env: Environment;
  log: Log;
  clock: Clock;
  cost: Pick<Cost, "spend" | "prices">;
  /** Names this run of the worker: whose leases its claims are. */
  instance: string;
  /** Resolves when intake is quiet enough to work. */
  quiet(): Promise<void>;
  /** New or rewritten records. */
  onMade(made: Made): void;
  /** The gate opened or closed. */
  onChange(): void;
}

export interface Generation {
  loop: GenerationLoop;
  regenerator: Regenerator & { plan: PlanRegeneration };
  flow: Pick<Flow, "state">;
  /** True while `local` writes in the place of a model that may not be asked. */
  localWrites(): boolean;
  /** True where that is because a login is refused that the user never chose. */
  isFallback(): boolean;
  /** Who writes, and with which model; `local` where none is set up. */
  writer(): { active: string; model: string | null };
  /** Takes up what is due, now; a provider that nobody has told when to come back is asked again: it may be mended. */
  askAgain(): Hurried;
  start(): void;
  /** Gives claimed messages back and ends every call; resolves when nothing is left running. */
  close(): Promise<void>;
}

// A local batch never waits for anything. A model's call takes seconds, most of them waiting.
const localCalls = { calls: 2, slowAfterMs: 20_000, most: 2 };
const modelCalls = { calls: 2, slowAfterMs: 15_000, most: 16 };
const subscriptionCalls = { ...modelCalls, most: subscriptionPool };

function callsAtOnce(model: Provider | null, { get }: LoadedSettings): Concurrency {
  if (model === null) return localCalls;
  const runsCli = get("MEM_PROVIDER") === "primary" && get("MEM_PRIMARY_AUTH_METHOD") === "subscription";
  return runsCli ? subscriptionCalls : modelCalls;
}

/** Deadline of one batch: a few calls, when answers are useless or too long. */
function batchTimeoutMs({ get }: LoadedSettings): number {
  return 2 * get("MEM_GENERATION_TIMEOUT_MS") + 60_000;
}

export function createGeneration(deps: GenerationDeps): Generation {
  const { store, settings, log, clock, cost, onMade } = deps;
  const warn = (sentence: string): void => log.warn(sentence);
  const client = createChosenModel({ settings, env: deps.env, clock, warn });
  const local = createLocalProvider();
  const writing = client === null ? null : modelProvider(client, { ...deps, warn });
  const model = writing?.provider ?? null;
  const flow = createFlow({ onChange: deps.onChange });
  const onFailure = (error: string, messages: number): void =>
    log.warn({ messages }, `generation failed: ${error}`);
  const common = { flow, clock, timeoutMs: batchTimeoutMs(settings), quiet: deps.quiet, onFailure };
  // A host's command that lies on PATH is no proof that its login may be used: whoever pays for it in another way, and
  // has chosen nothing here, is not left without a memory. A refusal of what the user has set is his to mend.
  const isChosen = (["MEM_PROVIDER", "MEM_PRIMARY_AUTH_METHOD", "HOST_CLI_PATH"] as const).some(
    (key) => settings.source(key) !== "default",
  );
  // Also while it is tried again: until it answers nothing has changed.
  const isFallback = (): boolean =>
    !isChosen && flow.answers() === 0 && flow.state(clock.now()).reason?.kind === "auth";
  function localWrites(): boolean {
    if (cost.spend.spent() !== null) return true;
    if (flow.state(clock.now()).state !== "paused") return false;
    // Neither is there a budget for it then, when the gate opens.
    if (cost.spend.exhausted() !== null) return true;
    return isFallback();
  }
  const loop = createGenerationLoop({
    ...common,
    flow: createStandInFlow(flow, localWrites),
    queue: createGenerationQueue(store, deps.instance),
    provider: model === null ? local : createStandInProvider(model, local, localWrites),
    sessions: createActiveSessions({ clock }),
    batching: model === null ? localBatching : modelBatching,
    concurrency: callsAtOnce(model, settings),
    onCompleted: (_session, made) => onMade(made),
  });
  const limits = { messages: modelBatching.maxMessages, characters: modelBatching.maxChars };
  const regenerator = createRegenerator({
    ...common,
    list: store.regenerations,
    model,
    limits,
    idle: deps.quiet,
    onCompleted: onMade,
  });
  const plan = createRegenerationPlan({ ...cost, list: store.regenerations, client, ...writing, limits });

  return {
    loop,
    regenerator: { ...regenerator, plan },
    flow,
    localWrites: () => model !== null && localWrites(),
    isFallback,
    writer: () => ({ active: client?.name ?? "local", model: client?.model ?? null }),
    askAgain() {
      const hurried = flow.hurry(clock.now());
      void loop.takeUpDue();
      return hurried;
    },
    start() {
      // What a killed worker's calls left running costs the user's subscription.
      void failOpen("ending calls of an earlier worker", () =>
        reapOrphans(callRecords(settings.paths.hostCli)),
      );
      closeAtFault(client, flow, clock.now());
      loop.start();
    },
    async close() {
      await Promise.all([loop.stop(), regenerator.close()]);
      await client?.close();
    },
  };
}

// What is seen to be wrong without a call is told at once, not when the first message is due.
function closeAtFault(client: ModelClient | null, flow: Flow, now: number): void {
  const fault = client?.fault?.() ?? null;
  if (fault !== null) flow.admit(now, 0)?.failed(fault, now);
}

function modelProvider(
  client: ModelClient,
  {
    settings,
    cost,
    clock,
    warn,
  }: Pick<GenerationDeps, "settings" | "cost" | "clock"> & { warn(sentence: string): void },
): { provider: Provider; systemChars: number } {
  const { mode, warnings } = loadActiveMode(settings.get("MEM_MODE"), { dataDir: settings.dataDir });
  for (const warning of warnings) warn(warning);
  const metered = createMeteredClient({ client, ...cost, clock });
  const prompts = loadPrompts();
  return {
    provider: createCoalescingProvider(createModelProvider({ client: metered, mode, prompts })),
    systemChars: systemPrompt(prompts, mode).length,
  };
}
