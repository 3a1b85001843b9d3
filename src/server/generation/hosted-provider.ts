// The provider of the hosted server: the configured model, metered for the team of each call, or local rules.
import type { Clock } from "../../core/clock.ts";
import { failOpen } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { ProjectScope } from "../../core/records/tenancy.ts";
import { createMeteredClient } from "../../generate/metered-client.ts";
import { createChosenModel } from "../../generate/model/chosen-model.ts";
import type { ModelClient } from "../../generate/model-client.ts";
import type { Provider } from "../../generate/provider.ts";
import { createLocalProvider } from "../../generate/providers/local/local.ts";
import type { Spend } from "../../generate/spend.ts";
import { createModelProvider } from "../../generate/writer.ts";
import type { Environment } from "../../settings/environment.ts";
import type { LoadedSettings } from "../../settings/load.ts";
import { loadActiveMode } from "../../settings/modes/load-mode.ts";
import type { ServerSettings } from "../../settings/server.ts";
import type { Database } from "../../store/postgres/open.ts";
import { recordTokens, tokensThisMonth } from "../../store/postgres/token-usage.ts";
import type { GenerationWatch } from "../metrics.ts";
import { withoutQuotes } from "./vendor-words.ts";

interface HostedProviderDeps {
  database: Pick<Database, "app" | "system">;
  settings: LoadedSettings;
  server: ServerSettings;
  env: Environment;
  log: Log;
  clock: Clock;
  scopeOf(group: number): ProjectScope | undefined;
  /** Metrics of the model's calls. */
  watch?: Pick<GenerationWatch, "called"> | undefined;
}

export function createHostedProvider(deps: HostedProviderDeps) {
  const { settings, server, env, log, clock, database } = deps;
  const warn = (sentence: string): void => log.warn(sentence);
  const client = createChosenModel({ settings, env, clock, warn });
  const local = createLocalProvider();
  const cap = client === null ? 0 : server.get("MEM_MONTHLY_TOKEN_CAP");
  return {
    provider: client === null ? local : modelProvider(client, deps, warn),
    /** Writes instead of the model; null where `provider` is `local`. */
    local: client === null ? null : local,
    /** Deadline of one batch. */
    timeoutMs: 2 * settings.get("MEM_GENERATION_TIMEOUT_MS") + 60_000,
    /** Whether the team used up its tokens of the month. Its running calls may exceed the cap. */
    isOverCap: async (team_id: string) => cap > 0 && (await tokensThisMonth(database.system, team_id)) >= cap,
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
  return withoutQuotes(createModelProvider({ client: metered, mode }));
}

// Every call that a vendor may bill counts as usage of the team whose events it was made for.
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
