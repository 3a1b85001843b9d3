// The size of context texts: the user's token budget, and for hosts a limit below the one that they cut at.
import { textTokens } from "./tokens.ts";

/**
 * Bytes that a text for a host never exceeds, and so characters neither. Above 10,000 characters Claude Code injects a
 * file path instead of the text, Codex its head and tail; whether a host counts characters or bytes is not told.
 */
export const maxContextBytes = 9500;

/** What one text may take. */
export interface Budget {
  tokens: number;
  bytes: number;
}

/** What is left of the budget beside `text`, which a line break sets off. */
export function without(budget: Budget, text: string): Budget {
  if (text === "") return budget;
  return {
    tokens: budget.tokens - textTokens(text) - 1,
    bytes: budget.bytes - Buffer.byteLength(text) - 1,
  };
}

export function fits(text: string, { tokens, bytes }: Budget): boolean {
  return Buffer.byteLength(text) <= bytes && textTokens(text) <= tokens;
}

/** A text and how many of the first rows stand in it. */
export interface Rendered {
  text: string;
  shown: number;
}

/**
 * As many of the first rows as fit, as `render` writes them; null when it does not fit even without any. `weights` are
 * the sizes of the rows to each other: the better they are, the fewer texts are rendered.
 */
export function rowsWithin(
  weights: readonly number[],
  budget: Budget,
  render: (shown: number) => string,
): Rendered | null {
  const all = { text: render(weights.length), shown: weights.length };
  if (fits(all.text, budget)) return all;
  let best = { text: render(0), shown: 0 };
  if (!fits(best.text, budget)) return null;
  let tooMany = all.shown;
  let shown = guess(weights, [best.text, all.text], budget);
  for (let tried = 1; tooMany - best.shown > 1; tried++) {
    shown = Math.min(tooMany - 1, Math.max(best.shown + 1, shown));
    const text = render(shown);
    const isFitting = fits(text, budget);
    if (isFitting) best = { text, shown };
    else tooMany = shown;
    const isClose = tried < closeTries;
    shown = isClose ? shown + (isFitting ? 1 : -1) : Math.floor((best.shown + tooMany) / 2);
  }
  return best;
}

// Looked at around the guess, before the halving begins.
const closeTries = 3;

function guess(weights: readonly number[], texts: [none: string, all: string], budget: Budget): number {
  const [noTokens, allTokens] = texts.map(textTokens) as [number, number];
  const [noBytes, allBytes] = texts.map((text) => Buffer.byteLength(text)) as [number, number];
  const room = Math.min(
    (budget.tokens - noTokens) / (allTokens - noTokens),
    (budget.bytes - noBytes) / (allBytes - noBytes),
  );
  let left = room * weights.reduce((sum, weight) => sum + weight, 0);
  const tooHeavy = weights.findIndex((weight) => {
    left -= weight;
    return left < 0;
  });
  return tooHeavy < 0 ? weights.length : tooHeavy;
}
