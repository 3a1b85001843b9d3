// The prompts: a system text that is constant for a mode, and the messages of one batch.

import { contentKey } from "../core/ids.ts";
import type { ClaimedMessage } from "../core/records/messages.ts";
import type { Mode, ModeWord } from "../core/records/mode.ts";
import { shorten, shortenPrompt } from "../core/shorten.ts";
import type { GenerationBatch } from "./provider.ts";
import { messageTexts, type QuotedMessage } from "./writer/message-text.ts";
import type { Prompts } from "./writer/prompt-templates.ts";
import { mostStatements } from "./writer/quoted-statements.ts";

/** The system text of a mode. */
export function systemPrompt(prompts: Prompts, mode: Mode): string {
  return prompts.system({
    role: mode.role,
    keep: mode.keep,
    skip: mode.skip,
    language: mode.language,
    writing: mode.writing,
    types: wordList(mode.types),
    concepts: mode.concepts.length === 0 ? "  (none: an empty list)" : wordList(mode.concepts),
    summary: Object.entries(mode.summary)
      .map(([part, holds]) => `- ${part}: ${holds}`)
      .join("\n"),
  });
}

/** Head and tail of a tool use tell enough: about 1,000 tokens each at most. */
export const fullMessageChars = 4_000;

interface BatchPromptOptions {
  /** A longer message keeps head and tail with a marker between them. */
  maxMessageChars: number;
  /** Why the last answer was useless, in our own words. */
  complaint?: string | undefined;
}

/**
 * The text for one batch, messages numbered from 1. Foreign text is quoted between tags with a mark that occurs nowhere in
 * it: no text can close its own quotation.
 */
export function batchPrompt(
  prompts: Prompts,
  batch: GenerationBatch,
  { maxMessageChars, complaint }: BatchPromptOptions,
): string {
  const { session, messages, recentTitles } = batch;
  const titles = recentTitles.slice(-maxTitles).map((title) => `- ${shorten(title, maxTitleChars)}`);
  const quoted: Quoted = {
    project: shorten(session.project, maxTitleChars),
    request: shortenPrompt(session.user_prompt, maxRequestChars),
    titles: titles.join("\n"),
    messages: messageTexts(batch, maxMessageChars),
  };
  const mark = markFor(quoted);
  return prompts.batch({
    mark,
    session: [
      tagged("project", quoted.project, mark),
      tagged("request", quoted.request, mark),
      titles.length === 0 ? "" : `${knownAs(messages)}:\n${tagged("known", quoted.titles, mark)}`,
    ]
      .filter((part) => part !== "")
      .join("\n"),
    count: `${messages.length === 1 ? "1 message" : `${messages.length} messages`}:`,
    messages: quoted.messages.map((message, index) => messageBlock(message, index + 1, mark)).join("\n\n"),
    closing: closing(prompts, messages, complaint),
  });
}

function knownAs(messages: readonly ClaimedMessage[]): string {
  const asksForSummary = messages.some(({ message }) => message.type === "summarize");
  return asksForSummary ? "Known already, and in no summary yet" : "Known already";
}

const maxTitles = 10;
const maxTitleChars = 120;
const maxRequestChars = 1_000;

function wordList(words: readonly ModeWord[]): string {
  return words.map(({ id, description }) => `  ${id}: ${description}`).join("\n");
}

interface Quoted {
  project: string;
  request: string;
  titles: string;
  messages: readonly QuotedMessage[];
}

// Six letters of a hash of the text; of the next hash where the text contains them.
function markFor(quoted: Quoted): string {
  const all = JSON.stringify(quoted);
  let mark = contentKey(all).slice(0, markChars);
  while (all.includes(mark)) mark = contentKey(mark).slice(0, markChars);
  return mark;
}

const markChars = 6;

function tagged(name: string, text: string, mark: string): string {
  if (text.trim() === "") return "";
  return text.includes("\n")
    ? `<${name} ${mark}>\n${text}\n</${name} ${mark}>`
    : `<${name} ${mark}>${text}</${name} ${mark}>`;
}

function messageBlock({ head, parts }: QuotedMessage, number: number, mark: string): string {
  const lines = parts.map(({ name, text }) => tagged(name, text, mark)).filter((line) => line !== "");
  return [`[${number}] ${head}`, ...lines].join("\n");
}

function closing(
  prompts: Prompts,
  messages: readonly ClaimedMessage[],
  complaint: string | undefined,
): string {
  const wanted = messages.flatMap(({ message }, index) => (message.type === "summarize" ? [index + 1] : []));
  return [
    wanted.length === 0
      ? "No summary is asked for."
      : `A summary is asked for by ${wanted.map((number) => `[${number}]`).join(", ")}.\n\n${prompts.statements({ most: String(mostStatements) })}\n`,
    complaint === undefined ? "" : `An earlier answer could not be used: ${complaint}.`,
    "Answer with the JSON object.",
  ]
    .filter((line) => line !== "")
    .join("\n");
}
