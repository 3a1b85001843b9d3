// Shortens a long quote by whole clauses, so that its reason is not cut off.
import { excerpt } from "../../text/excerpt.ts";
import { namesIn } from "./names.ts";
import { closingCuesOf } from "./sentence-cues.ts";

/**
 * At most `maxChars` on one line. A longer quote keeps its first clause, then the clauses with a reason or a decision, then
 * those with names, then the others; "…" stands for what is left out.
 */
export function shortQuote(text: string, maxChars: number): string {
  if (text.length <= maxChars) return excerpt(text, maxChars);
  const clauses = text.split(clauseStart);
  const kept = new Set<number>();
  let left = maxChars;
  for (const at of [...clauses.keys()].sort((a, b) => worthOf(clauses, b) - worthOf(clauses, a) || a - b)) {
    const length = (clauses[at] ?? "").length + elision.length;
    if (length > left) continue;
    kept.add(at);
    left -= length;
  }
  if (!kept.has(0)) return excerpt(text, maxChars);
  const shown = clauses.flatMap((clause, at) => (kept.has(at) ? [clause] : kept.has(at - 1) ? [elided] : []));
  return excerpt(shown.join(" ").replace(afterWideMark, ""), maxChars);
}

function worthOf(clauses: readonly string[], at: number): number {
  const clause = clauses[at] ?? "";
  const cues = closingCuesOf(clause);
  if (at === 0) return 3;
  if (cues.has("cause") || cues.has("decision")) return 2;
  return namesIn(clause).length > 0 ? 1 : 0;
}

// Behind punctuation, and before a word that gives the reason.
const clauseStart =
  /(?<=[,;:.!?]|\s[–—-])\s+|(?<=[，；：。！？、])|\s+(?=(?:because|since|so that|weil|sodass|porque|parce que|car|pois|потому что|так как)\s)/u;
const afterWideMark = /(?<=[，；：。！？、]) /gu;
const elided = "…";
const elision = ` ${elided} `;
