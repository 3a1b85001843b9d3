// Model cost: spend over the ledger, the report of the cost route, notices of spent budgets.
import { type Clock, dayMs } from "../core/clock.ts";
import { dayName, startOfDay } from "../core/local-days.ts";
import { packageFile } from "../core/paths.ts";
import type { CallSums } from "../core/records/model-call.ts";
import { loadPrices, type Prices } from "../generate/prices.ts";
import { projectionStart, projectMonth, type Used } from "../generate/projection.ts";
import { budgetInWords, createSpend, type Spend } from "../generate/spend.ts";
import type { CostPorts } from "../http/api/status.ts";
import type { CostAnswer } from "../http/schemas/cost.ts";
import type { LoadedSettings } from "../settings/load.ts";
import type { Store } from "../store/sqlite/store.ts";

interface CostDeps {
  store: Store;
  settings: LoadedSettings;
  clock: Clock;
  /** Called when the user's own price table cannot be used. */
  warn(sentence: string): void;
}

export interface Cost extends CostPorts {
  spend: Spend;
  prices: Prices;
  /** `the daily budget of N tokens is spent; local writes until <time>`, also when a call did not fit into it; or null. */
  notice(): string | null;
}

export function createCost({ store, settings, clock, warn }: CostDeps): Cost {
  const own = settings.paths.prices;
  const prices = latePrices(() =>
    loadPrices({ shipped: packageFile("templates", "prices.json"), own, warn }),
  );
  const spend = createSpend({
    budgets: {
      daily: settings.get("MEM_DAILY_TOKEN_BUDGET"),
      monthly: settings.get("MEM_MONTHLY_TOKEN_BUDGET"),
    },
    ledger: {
      record: (call) => store.commit(() => store.modelCalls.record(call)),
      tokensSince: store.modelCalls.tokensSince,
    },
    clock,
  });

  function notice(): string | null {
    const budget = spend.exhausted();
    return budget === null ? null : budgetInWords(budget);
  }

  return {
    spend,
    prices,
    notice,
    report({ by, since }) {
      const now = clock.now();
      // Includes calls of this millisecond.
      const range = { from: since ?? startOfDay(now - defaultDays * dayMs), until: now + 1 };
      return {
        by,
        since: range.from,
        until: now,
        rows: store.modelCalls.sums(by, range).map(({ key, ...sums }) => ({ key, ...onWire(sums) })),
        total: onWire(store.modelCalls.total(range)),
        projection: projection(store, now),
        budgets: spend.budgets().map(({ name, limit, used, left, until }) => ({
          name,
          limitTokens: limit,
          usedTokens: used,
          leftTokens: left,
          until,
        })),
        notice: notice(),
        prices: { date: prices.date, source: prices.source, own },
      };
    },
  };
}

// Loaded at the first paid call or report: most worker starts need no prices.
function latePrices(load: () => Prices): Prices {
  let loaded: Prices | undefined;
  const prices = (): Prices => {
    loaded ??= load();
    return loaded;
  };
  return {
    costMicroUsd: (model, usage) => prices().costMicroUsd(model, usage),
    get date() {
      return prices().date;
    },
    get source() {
      return prices().source;
    },
  };
}

// With today: 30 days.
const defaultDays = 29;

function projection({ modelCalls }: Store, now: number): CostAnswer["projection"] {
  const start = projectionStart(now);
  const sumsSince = (from: number): CallSums => modelCalls.total({ from, until: now + 1 });
  const [month, lastDays] = [sumsSince(start.month), sumsSince(start.lastDays)];
  const projected = projectMonth({
    now,
    firstCallAt: modelCalls.firstAt(),
    month: usedBy(month),
    lastDays: usedBy(lastDays),
  });
  if (projected === null) return null;
  return {
    month: dayName(now).slice(0, 7),
    averageOfDays: Math.round(projected.days * 10) / 10,
    soFar: inDollars(projected.soFar, month.unpriced),
    // One period contains the other.
    byEnd: inDollars(projected.byEnd, Math.max(month.unpriced, lastDays.unpriced)),
  };
}

function usedBy({ input_tokens, output_tokens, cost_micro_usd }: CallSums): Used {
  return { tokens: input_tokens + output_tokens, costMicroUsd: cost_micro_usd };
}

function inDollars({ tokens, costMicroUsd }: Used, unpriced: number) {
  return { tokens, costUsd: knownCost(costMicroUsd, unpriced), unpricedCalls: unpriced };
}

// Failed calls cost nothing and are priced; they do not make an unknown sum a known one.
function knownCost(microUsd: number, unpriced: number): number | null {
  return unpriced > 0 && microUsd === 0 ? null : microUsd / 1_000_000;
}

function onWire(sums: CallSums): CostAnswer["total"] {
  return {
    calls: sums.calls,
    failedCalls: sums.failed,
    inputTokens: sums.input_tokens,
    cachedTokens: sums.cached_tokens,
    outputTokens: sums.output_tokens,
    costUsd: knownCost(sums.cost_micro_usd, sums.unpriced),
    unpricedCalls: sums.unpriced,
  };
}
