// Model prices: the shipped table, overridden by the user's own.
import { readFileSync } from "node:fs";
import * as z from "zod";
import { isMissing } from "../core/error-code.ts";
import { MemError } from "../core/errors.ts";
import type { TokenUsage } from "./token-usage.ts";

export interface Prices {
  /** Millionths of a US dollar; null for an unknown model. A call without tokens costs 0. */
  costMicroUsd(model: string, usage: TokenUsage): number | null;
  /** Of the shipped table. */
  date: string;
  source: string;
}

/** Cost of a call of `client`; null where the price of its model is unknown. */
export function costOf(
  prices: Pick<Prices, "costMicroUsd">,
  { model, isOwn }: { model: string; isOwn?: boolean | undefined },
  usage: TokenUsage,
): number | null {
  return prices.costMicroUsd(model, usage) ?? (isOwn === true ? 0 : null);
}

interface PriceFiles {
  /** `templates/prices.json` of the package. */
  shipped: string;
  /** `prices.json` of the data directory, which may be missing. */
  own: string;
  /** Called when the user's file cannot be used. */
  warn(sentence: string): void;
}

/** Throws `internal` when the shipped table is invalid. */
export function loadPrices({ shipped, own, warn }: PriceFiles): Prices {
  const table = schemas().shipped.safeParse(parseJson(readFileSync(shipped, "utf8")));
  if (!table.success) {
    throw new MemError("internal", { message: `${shipped} is not a price table.`, cause: table.error });
  }
  const { date, source, models } = table.data;
  const known = new Map(Object.entries({ ...models, ...loadOwn(own, warn) }));
  return {
    date,
    source,
    costMicroUsd(model, { inputTokens, cachedTokens, outputTokens }) {
      if (inputTokens === 0 && outputTokens === 0) return 0;
      const price = known.get(model);
      if (price === undefined) return null;
      // A dollar for a million tokens is a millionth of a dollar for one.
      const cached = Math.min(cachedTokens, inputTokens);
      const { input, cachedInput = input, output } = price;
      return Math.round((inputTokens - cached) * input + cached * cachedInput + outputTokens * output);
    },
  };
}

// Built on demand: a worker without a model does not pay for them at its start.
function schemas() {
  const dollars = z.number().min(0).max(1_000_000);
  const models = z.record(
    z.string(),
    z.object({ input: dollars, cachedInput: dollars.optional(), output: dollars }),
  );
  return {
    shipped: z.object({ date: z.string(), source: z.string(), models }),
    own: z.object({ models }),
  };
}

type ModelPrices = z.output<ReturnType<typeof schemas>["own"]>["models"];

function loadOwn(path: string, warn: PriceFiles["warn"]): ModelPrices {
  const text = readOwn(path, warn);
  if (text === null) return {};
  const table = schemas().own.safeParse(parseJson(text));
  if (table.success) return table.data.models;
  const [issue] = table.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? "" : ` at ${issue.path.join(".")}`;
  warn(`${path} is not a price table${where}: ${issue?.message ?? "unknown"}. The shipped prices are used.`);
  return {};
}

function readOwn(path: string, warn: PriceFiles["warn"]): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    if (isMissing(cause)) return null;
    warn(`${path} cannot be read. The shipped prices are used.`);
    return null;
  }
}

// The schema rejects the undefined of invalid JSON.
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
