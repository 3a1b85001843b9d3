// A record that an agent keeps: whether the user's words carry it, and its draft. For the worker and the server.
import { quotedTexts } from "../core/records/quoted-text.ts";
import { type KeptKind, type StatementKind, typeOfKind } from "../core/records/statement.ts";
import { sentencesWith, typedParts, wordsOf } from "../core/tools/typed-text.ts";
import { cleanText } from "../privacy/clean.ts";
import { operations, parseRule } from "../statements/rules/prohibitions.ts";
import { clausesOf } from "../statements/rules/rule-wording.ts";
import { promptCuesOf } from "../statements/text/sentence-cues.ts";
import { sharedCount, tellingTermsOf } from "../statements/text/topic-terms.ts";

/** Per session of the worker, per key and day of the server: an agent that keeps more lists what it did. */
export const mostKept = 30;

export interface Checked {
  kind: KeptKind;
  /** The user typed the quote. */
  isSure: boolean;
  quote: string | null;
}

/** A rule or preference without words of the user is a proposal. */
export function isUserRule(kind: StatementKind): boolean {
  return kind === "rule" || kind === "preference";
}

export function lineOf(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** The quote, cleaned, if it is about the text and the user typed it in a prompt, or said it in an answer. */
export function saidQuote(
  { text, quote }: { text: string; quote?: string | null | undefined },
  prompts: readonly string[],
  answers: () => readonly string[] = () => [],
): string | null {
  if (quote == null || !isAbout(text, quote)) return null;
  const words = [...prompts.map((prompt) => typedParts(prompt).typed), ...answers()];
  const isSaid = words.some((typed) => {
    const said = sentencesWith(typed, quote);
    return said !== null && !leavesOutNegation(said, quote);
  });
  return isSaid && !addsOrder(text, quote, words) ? cleanText(lineOf(quote)) : null;
}

/** Whether the quote shares words with each sentence of the text: any words of the user would make any text a rule otherwise. */
function isAbout(text: string, quote: string): boolean {
  const known = gramsOf(quote);
  const sentences = text.split(/(?<=[.!?])\s+|(?<=[。！？])(?=.)/).map((sentence) => [...gramsOf(sentence)]);
  // The end of an abbreviation leaves a word or two.
  const shared = sentences
    .filter((grams, at) => at === 0 || grams.length > 3)
    .map((grams) => grams.filter((gram) => known.has(gram)).length);
  return Math.min(...shared) > 0 && Math.max(...shared) >= sharedGrams;
}

const sharedGrams = 2;

/**
 * Whether a clause orders something for good, or an operation such as a deployment, and has no word of the quote and few of
 * what the user typed. Explanations and details that the agent adds are no orders.
 */
function addsOrder(text: string, quote: string, words: readonly string[]): boolean {
  const known = new Set(tellingTermsOf(quote));
  const typed = new Set(tellingTermsOf([quote, ...words].join("\n")));
  return clausesOf(text)
    .flatMap((clause) => clause.text.split(conjunction))
    .filter((clause) => ordersItself(clause) && !tellingTermsOf(clause).some((term) => known.has(term)))
    .map((clause) => new Set(tellingTermsOf(clause)))
    .some((terms) => sharedCount(terms, typed) * 2 < terms.size);
}

const conjunction = /\s(?:and|then|und|y|et|e|и)\s/iu;

function ordersItself(clause: string): boolean {
  return promptCuesOf(clause).has("lasting") || [...operations.values()].some((verb) => verb.test(clause));
}

// "Push to main" of "never push to main".
function leavesOutNegation(said: string, quote: string): boolean {
  const objectsOf = (text: string) =>
    parseRule(text).prohibitions.map(({ object }) => ` ${wordsOf(object)} `);
  const words = ` ${wordsOf(quote)} `;
  const kept = objectsOf(quote);
  return objectsOf(said).some(
    (object) => overlap(object, words) && !kept.some((one) => overlap(one, object)),
  );
}

function overlap(one: string, other: string): boolean {
  return one.includes(other) || other.includes(one);
}

// Pairs of CJK letters, and four letters of other words.
function gramsOf(text: string): Set<string> {
  const words =
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(
    words.flatMap((word) => {
      const size = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}/u.test(word) ? 2 : 4;
      const last = Math.max(0, word.length - size);
      return Array.from({ length: last + 1 }, (_, at) => word.slice(at, at + size));
    }),
  );
}

/** The draft of a record that an agent keeps. */
export function keptDraft({ text, kind, isSure, quote }: Checked & { text: string }) {
  const standing = isUserRule(kind) && isSure;
  return {
    ...quotedTexts(text),
    obs_type: typeOfKind[kind],
    subtitle: quote === null ? null : `Said: ${quote}`,
    facts: [],
    concepts: [],
    files_read: [],
    files_modified: [],
    provenance: standing ? ("user" as const) : ("agent" as const),
    statement: {
      said_by: standing ? ("user" as const) : ("agent" as const),
      kind,
      standing,
      reach: "project" as const,
      salience: salienceOf[kind],
    },
  };
}

// Above what was found by its wording, below what the user wrote as a rule.
const salienceOf: Record<KeptKind, number> = {
  rule: 4.5,
  preference: 4.2,
  state: 4,
  open: 3.9,
  decision: 3.8,
  cause: 3.6,
  command: 3.5,
  fact: 3.4,
};
