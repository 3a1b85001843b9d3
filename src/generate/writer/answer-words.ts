// Cleans a model's texts: no control characters, nothing private, no secrets, bounded length.
import { cleanText } from "../../privacy/clean.ts";
import { clip } from "../../text/plain-text.ts";
import { terminalText } from "../../text/terminal-text.ts";

/** Maximum of each part in characters; of lists in entries. */
export const longest = {
  title: 120,
  subtitle: 200,
  summary: 300,
  narrative: 2_000,
  summaryPart: 2_000,
  facts: 12,
  fact: 400,
  files: 50,
  path: 500,
} as const;

export function cleanLine(text: string, maxChars: number): string {
  return clip(cleaned(text, maxChars).replace(/\s+/g, " ").trim(), maxChars);
}

/** Keeps line breaks. */
export function cleanProse(text: string, maxChars: number): string {
  const prose = cleaned(text, maxChars)
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .replace(/\n{3,}/g, "\n\n");
  return clip(prose.trim(), maxChars);
}

/** One line each, without empty texts and repeats, ignoring case. */
export function cleanLines(texts: readonly string[], maxChars: number, maxCount: number): string[] {
  const kept = new Map<string, string>();
  for (const text of texts) {
    const line = cleanLine(text, maxChars);
    const key = line.toLowerCase();
    if (line !== "" && !kept.has(key)) kept.set(key, line);
    if (kept.size === maxCount) break;
  }
  return [...kept.values()];
}

/** The first sentence, or the whole text. */
export function firstSentence(text: string): string {
  return /^[\s\S]{1,400}?(?:[.!?](?=\s|$)|[。！？।])/u.exec(text)?.[0] ?? text;
}

// Redacts before cutting: half a secret is not recognized. A far longer text is cut first to save time.
function cleaned(text: string, maxChars: number): string {
  const whole = text.slice(0, maxChars * 4 + 2_000).replace(/\p{Cs}/gu, "");
  return cleanText(terminalText(whole).replace(stillInvisible, ""));
}

// Removes invisible characters except zero-width joiners, which Arabic, Hindi and emoji need.
const stillInvisible = /[\u00ad\u180e\u2061-\u2065\u206a-\u206f\ufff9-\ufffb\u{1d173}-\u{1d17a}]/gu;
