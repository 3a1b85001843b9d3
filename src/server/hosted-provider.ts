// Who writes for the teams: the model that is set, metered for the team of each call, `local` behind it.
import type { Clock } from "../core/clock.ts";
import { failOpen } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { ProjectScope } from "../core/records/tenancy.ts";
import { promptOfEvent } from "../core/tools/event-message.ts";
import { createCoalescingProvider } from "../generate/coalesce.ts";
import { createMeteredClient } from "../generate/metered-client.ts";
import { createChosenModel } from "../generate/model/chosen-model.ts";
import type { ModelClient } from "../generate/model-client.ts";
import type { GenerationBatch, Provider } from "../generate/provider.ts";
import { createLocalProvider } from "../generate/providers/local/local.ts";
import type { Spend } from "../generate/spend.ts";
import { loadPrompts } from "../generate/writer/prompt-templates.ts";
import { createModelProvider } from "../generate/writer.ts";
import type { Environment } from "../settings/environment.ts";
import type { LoadedSettings } from "../settings/load.ts";
import { loadActiveMode } from "../settings/modes/load-mode.ts";
import type { ServerSettings } from "../settings/server.ts";
import type { Database } from "../store/postgres/open.ts";
import { recordTokens, tokensThisMonth } from "../store/postgres/token-usage.ts";
import type { GenerationWatch } from "./metrics.ts";
import { withoutQuotes } from "./vendor-words.ts";

interface HostedProviderDeps {
  database: Pick<Database, "app" | "system">;
  settings: LoadedSettings;
  server: ServerSettings;
  env: Environment;
  log: Log;
  clock: Clock;
  scopeOf(group: number): ProjectScope | undefined;
  /** Hears of every call of the model; left out where nobody measures. */
  watch?: Pick<GenerationWatch, "called"> | undefined;
}

export interface HostedProvider {
  provider: Provider;
  /** False where `local` alone writes: nothing is gained by gathering events for one call. */
  isModel: boolean;
  /** Deadline of one batch. */
  timeoutMs: number;
  close(): Promise<void>;
}

/**
 * The provider of the hosted server. A team whose month's tokens are used up is written for by `local`, so its events are
 * not lost and its bill does not grow: what its running calls use is the most that the cap is exceeded by. `local` also writes
 * what the model has no useful answer to.
 */
export function createHostedProvider(deps: HostedProviderDeps): HostedProvider {
  const { settings, server, env, log, clock } = deps;
  const warn = (sentence: string): void => log.warn(sentence);
  const client = createChosenModel({ settings, env, clock, warn });
  const local = createLocalProvider();
  const cap = server.get("MEM_MONTHLY_TOKEN_CAP");

  async function isOverCap({ session }: GenerationBatch): Promise<boolean> {
    const scope = cap === 0 ? undefined : deps.scopeOf(session.id);
    if (scope === undefined) return false;
    return (await tokensThisMonth(deps.database.system, scope.team_id)) >= cap;
  }

  const model = client === null ? null : modelProvider(client, deps, warn);
  const standIn: Provider["generate"] = async (batch, signal) => ({
    ...(await local.generate(batch, signal)),
    upgrade: true,
  });
  return {
    isModel: model !== null,
    timeoutMs: 2 * settings.get("MEM_GENERATION_TIMEOUT_MS") + 60_000,
    provider: withoutPrompts({
      name: client?.name ?? "local",
      async generate(batch, signal) {
        if (model === null) return local.generate(batch, signal);
        if (!(await isOverCap(batch))) return model.generate(batch, signal);
        return standIn(batch, signal);
      },
      ...(model === null ? {} : { standIn }),
    }),
    close: async () => client?.close(),
  };
}

function modelProvider(
  client: ModelClient,
  deps: HostedProviderDeps,
  warn: (sentence: string) => void,
): Provider {
  const { settings, clock } = deps;
  const { mode, warnings } = loadActiveMode(settings.get("MEM_MODE"), { dataDir: settings.dataDir });
  for (const warning of warnings) warn(warning);
  const metered = createMeteredClient({
    client,
    spend: spendOfTeams(deps),
    prices: { costMicroUsd: () => null },
    clock,
  });
  return withoutQuotes(
    createCoalescingProvider(createModelProvider({ client: metered, mode, prompts: loadPrompts() })),
  );
}

// Every call that a vendor may bill is the usage of the team whose events it was made for.
function spendOfTeams({ database, scopeOf, watch }: HostedProviderDeps): Pick<Spend, "reserve"> {
  return {
    reserve: () => ({
      async settle(call) {
        watch?.called(call);
        const scope = call.session_id === null ? undefined : scopeOf(call.session_id);
        if (scope === undefined || call.input_tokens + call.output_tokens === 0) return;
        const { input_tokens, output_tokens, provider, model, outcome } = call;
        await failOpen("recording tokens", () =>
          recordTokens(database.app, { ...scope, input_tokens, output_tokens, provider, model, outcome }),
        );
      },
    }),
  };
}

// A prompt is what the others were done for; by itself it is no work that a record could be made of.
function withoutPrompts(provider: Provider): Provider {
  const { name, standIn } = provider;
  const filtered =
    (generate: Provider["generate"]): Provider["generate"] =>
    async (batch, signal) => {
      const messages = batch.messages.filter(({ message: { tool_name, tool_input } }) => {
        if (tool_name === undefined) return true;
        return promptOfEvent({ event_type: tool_name, payload: tool_input ?? null }) === undefined;
      });
      if (messages.length > 0) return generate({ ...batch, messages }, signal);
      const usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };
      return { observations: [], summaries: [], generator: name, usage };
    };
  // A message gets a stand-in after `generate` has failed for it: it is no prompt.
  return {
    name,
    generate: filtered(provider.generate),
    ...(standIn === undefined ? {} : { standIn: filtered(standIn) }),
  };
}
