// Whose words are these? Decides for a prompt of any host which part the user typed.
import { typedLines } from "../../text/pasted-lines.ts";
import type { Turn } from "../records/turn.ts";
import { dropAnnounced, elideAnnounced } from "./announced-text.ts";
import { imageOnly, requestIn } from "./host-text.ts";

export interface TypedParts {
  /** The prompt without the wrappers of hosts and IDEs; empty when no user wrote it. */
  request: string;
  /** The sentences that the user typed: order and line breaks stay, a long quotation becomes "…". */
  typed: string;
}

/** Pasted text with and without a fence, and what follows "the log says:", is not typed. Linear in time. */
export function typedParts(prompt: string): TypedParts {
  const request = requestIn(prompt);
  const lines = (request === imageOnly ? "" : withoutPlan(request)).split(/\r?\n/);
  const texts = typedLines(lines);
  dropAnnounced(lines, texts);
  const typed = elideQuotations(texts.map(elideAnnounced).join("\n"));
  return { request, typed: typed.replace(/\n{3,}/g, "\n\n").trim() };
}

/** What the user typed in the prompts of a turn, one by one: an open fence ends with its prompt. */
export function typedOf({ prompt, prompts = [prompt] }: Pick<Turn, "prompt" | "prompts">): string {
  return prompts
    .map((one) => typedParts(one).typed)
    .filter((text) => text !== "")
    .join("\n\n");
}

/** The sentences in which the quote stands, compared without markup, case and punctuation; null without. A quote of fewer than 8 letters proves nothing. */
export function sentencesWith(typed: string, quote: string): string | null {
  const sought = wordsOf(quote);
  const sentences = typed
    .split(/(?<=[.!?])\s+|(?<=[。！？])|\n/)
    .map((text) => ({ text, words: wordsOf(text) }));
  const filled = sentences.filter(({ words }) => words !== "");
  const at = ` ${filled.map(({ words }) => words).join(" ")} `.indexOf(` ${sought} `);
  if (at < 0 || sought.replaceAll(" ", "").length < 8) return null;
  let next = 0;
  const touched = filled.filter(({ words }) => {
    const start = next;
    next += words.length + 1;
    return start < at + sought.length && next > at;
  });
  return touched.map(({ text }) => text).join(" ");
}

/** The words in lower case, one space between them; each character of Chinese and Japanese is one. */
export function wordsOf(text: string): string {
  const found = text.normalize("NFKC").toLowerCase().replace(/['’]/g, "").match(word);
  return found?.join(" ") ?? "";
}

const character = "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}]";
const word = new RegExp(`${character}|(?:(?!${character})[\\p{L}\\p{N}])+`, "gu");

// An accepted plan comes as a prompt: the agent wrote it, except for what the user answered.
function withoutPlan(request: string): string {
  const start = planStart.exec(request)?.[0];
  if (start === undefined) return request;
  const answer = request.lastIndexOf(planAnswer);
  return `${start.trim()}\n\n${answer < 0 ? "" : request.slice(answer + planAnswer.length)}`;
}

const planStart =
  /^\s*(?:Implement the following plan:|(?:Implement|Carry out) the (?:attached )?plan)(?=\s)/;
const planAnswer = "\n\nUser feedback on this plan: ";

// A quotation of several sentences or many words is foreign; the sentence around it is the user's.
function elideQuotations(text: string): string {
  return text.replace(quotation, (whole: string) => {
    const inner = whole.slice(1, -1);
    const isLong = inner.length > 80 || /[.!?]\s+\S|[。！？]\s*\S/.test(inner);
    return isLong ? `${whole[0]}…${whole.at(-1)}` : whole;
  });
}

// A straight quote opens behind white space or punctuation only: else it closes a quotation that is too short to count.
const quotation =
  /(?<![^\s([{:：,])"(?=\S)[^"]{12,2000}"(?![\p{L}\p{N}])|“[^“”]{12,2000}”|«[^«»]{12,2000}»|„[^„“”]{12,2000}[“”]|「[^「」]{8,2000}」|『[^『』]{8,2000}』/gu;
