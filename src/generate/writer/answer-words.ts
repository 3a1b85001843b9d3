// A model's words made fit to keep: no control characters, nothing private, no secrets, no longer than they may be.
import { cleanText } from "../../privacy/clean.ts";
import { clip } from "../../text/plain-text.ts";
import { terminalText } from "../../text/terminal-text.ts";

/** The longest of each part, in characters; counts for the lists. */
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

/** The text on one line. */
export function cleanLine(text: string, maxChars: number): string {
  return clip(cleaned(text, maxChars).replace(/\s+/g, " ").trim(), maxChars);
}

/** The text with its line breaks. */
export function cleanProse(text: string, maxChars: number): string {
  const prose = cleaned(text, maxChars)
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .replace(/\n{3,}/g, "\n\n");
  return clip(prose.trim(), maxChars);
}

/** The texts on one line each, without empty ones and repeats (case does not count). */
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

/** The first sentence, or the whole text where none ends. */
export function firstSentence(text: string): string {
  return /^[\s\S]{1,400}?(?:[.!?](?=\s|$)|[。！？।])/u.exec(text)?.[0] ?? text;
}

// Redacted before it is cut: half a secret has no form to be known by. A far longer text is cut first, it costs time.
function cleaned(text: string, maxChars: number): string {
  const whole = text.slice(0, maxChars * 4 + 2_000).replace(/\p{Cs}/gu, "");
  return cleanText(terminalText(whole).replace(stillInvisible, ""));
}

// Zero-width joiners stay: Arabic, Hindi and emoji need them. What can only hide something goes.
const stillInvisible = /[\u00ad\u180e\u2061-\u2065\u206a-\u206f\ufff9-\ufffb\u{1d173}-\u{1d17a}]/gu;
