// The size of what is injected: what the user allows, and never near what hosts cut at.
import { textTokens } from "./tokens.ts";

/**
 * Bytes that an injected text never exceeds, and so characters neither. Above 10,000 characters Claude Code injects a
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

/** How many of the first rows fit, as `render` writes them; null when it does not fit even without any. */
export function rowsWithin(rows: number, budget: Budget, render: (shown: number) => string): number | null {
  if (fits(render(rows), budget)) return rows;
  if (!fits(render(0), budget)) return null;
  let fitting = 0;
  let tooMany = rows;
  while (tooMany - fitting > 1) {
    const shown = Math.floor((fitting + tooMany) / 2);
    if (fits(render(shown), budget)) fitting = shown;
    else tooMany = shown;
  }
  return fitting;
}
