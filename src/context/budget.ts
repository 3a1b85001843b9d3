// Size limits of context texts: the user's token budget, and the bytes above which hosts cut a text.
import type { Observation, Parsed } from "../core/records/records.ts";
import { contextBlock } from "./quote.ts";

/**
 * Bytes (and so characters) of a text for a host. Above 10,000 characters Claude Code injects a file path instead of the
 * text, Codex its head and tail; neither documents whether it counts characters or bytes.
 */
export const maxContextBytes = 9500;

export interface Budget {
  tokens: number;
  bytes: number;
}

/** The budget that remains beside `text` and a line break. */
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

/** A text and how many of the first rows are in it. */
export interface Rendered {
  text: string;
  shown: number;
}

/** A block of `heading` and as many of the first parts as fit; null when not even one fits. */
export function partsWithin(heading: string, parts: readonly string[], budget: Budget): Rendered | null {
  const rendered = rowsWithin(parts, budget, (shown) => contextBlock([heading, ...parts.slice(0, shown)]));
  return rendered?.shown === 0 ? null : rendered;
}

/** As many of the first rows as fit, as `render` writes them; null when the text does not fit even without rows. */
export function rowsWithin(
  { length }: { readonly length: number },
  budget: Budget,
  render: (shown: number) => string,
): Rendered | null {
  const all = render(length);
  if (fits(all, budget)) return { text: all, shown: length };
  let best = { text: render(0), shown: 0 };
  if (!fits(best.text, budget)) return null;
  for (let tooMany = length; tooMany - best.shown > 1; ) {
    const shown = Math.floor((best.shown + tooMany) / 2);
    const text = render(shown);
    if (fits(text, budget)) best = { text, shown };
    else tooMany = shown;
  }
  return best;
}

/** Tokens of the whole record at four characters each, the usual flat estimate. */
export function readTokens(observation: Parsed<Observation>): number {
  const { title, subtitle, summary, narrative, facts } = observation;
  const texts = [title, subtitle ?? "", summary, narrative ?? "", ...facts];
  return Math.ceil(texts.reduce((sum, text) => sum + text.length, 0) / 4);
}

/**
 * Tokens of an injected text: four ASCII characters each, two letters of other alphabets, or one character of a script
 * without spaces. On the safe side of a budget: the tokenizers of 2025 take about three Cyrillic letters for a token.
 */
export function textTokens(text: string): number {
  let tokens = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    tokens += code <= lastAscii ? 1 : code <= lastOfAlphabets ? 2 : 4;
  }
  return Math.ceil(tokens / 4);
}

const lastAscii = 0x7f;
// Behind it come the CJK scripts.
const lastOfAlphabets = 0x2e7f;

/** The number with thousands separators, the same on every machine. */
export function grouped(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ",");
}
