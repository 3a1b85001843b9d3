// The prompts: a system text that is constant for a mode, and the messages of one batch.

import { contentKey } from "../core/ids.ts";
import type { ClaimedMessage } from "../core/records/messages.ts";
import type { Mode, ModeWord } from "../core/records/mode.ts";
import { levelFor, shorten, shortenPrompt } from "../core/shorten.ts";
import type { GenerationBatch } from "./provider.ts";
import { turnOf } from "./turns.ts";
import { candidateLines } from "./writer/candidates.ts";
import { type Known, knownLine } from "./writer/known-things.ts";
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
    most: String(mostStatements),
  });
}

/** Head and tail of a tool use tell enough: about 750 tokens each at most. */
export const fullMessageChars = 3_000;
/** Of all tool uses of a turn together. */
const maxUsesChars = 16_000;
const leastMessageChars = 300;

interface BatchPromptOptions {
  /** A longer message keeps head and tail with a marker between them. */
  maxMessageChars: number;
  /** Why the last answer was useless, in our own words. */
  complaint?: string | undefined;
}

/**
 * The text for one turn, messages numbered from 1. Foreign text is quoted between tags with a mark that occurs nowhere in
 * it: no text can close its own quotation.
 */
export function batchPrompt(
  prompts: Prompts,
  batch: ShownBatch,
  { maxMessageChars, complaint }: BatchPromptOptions,
): string {
  const { session, messages, recentTitles, known, request = "" } = batch;
  const titles = recentTitles.slice(-maxTitles).map((title) => `- ${shorten(title, maxTitleChars)}`);
  const quoted: Quoted = {
    project: shorten(messages.at(-1)?.message.project ?? session.project, maxTitleChars),
    request: shortenPrompt(request, maxRequestChars),
    summary: shorten(known.summary, maxSummaryChars),
    known: [...known.records.map(knownLine), ...titles].join("\n"),
    messages: messagesWithin(batch, maxMessageChars),
    candidates: candidatesOf(batch).join("\n"),
  };
  const mark = markFor(quoted);
  const sections = ["project", "request", "summary", "known"] as const;
  return prompts.batch({
    mark,
    session: sections
      .map((name) => tagged(name, quoted[name], mark))
      .filter((part) => part !== "")
      .join("\n"),
    count: `${messages.length === 1 ? "1 message" : `${messages.length} messages`}:`,
    messages: quoted.messages.map((message, index) => messageBlock(message, index + 1, mark)).join("\n\n"),
    closing: closing(messages, tagged("candidates", quoted.candidates, mark), complaint),
  });
}

/** A batch with the known records that are shown. */
export type ShownBatch = GenerationBatch & { known: Known };

// Short uses leave their room to long ones.
function messagesWithin(batch: GenerationBatch, maxMessageChars: number): QuotedMessage[] {
  const full = messageTexts(batch, maxMessageChars);
  const sizes = full.map(({ parts }) => parts.reduce((sum, { text }) => sum + text.length, 0));
  const isShort = sizes.reduce((sum, size) => sum + size, 0) <= maxUsesChars;
  return isShort ? full : messageTexts(batch, Math.max(leastMessageChars, levelFor(sizes, maxUsesChars)));
}

function candidatesOf({ messages, turns }: GenerationBatch): string[] {
  const end = messages.find(({ message }) => message.type === "summarize");
  if (end === undefined || end.message.agent_id !== undefined) return [];
  return candidateLines(turnOf(end, { messages, ...(turns && { turns }) }));
}

const maxTitles = 10;
const maxTitleChars = 120;
const maxRequestChars = 2_000;
const maxSummaryChars = 1_500;

function wordList(words: readonly ModeWord[]): string {
  return words.map(({ id, description }) => `  ${id}: ${description}`).join("\n");
}

interface Quoted {
  project: string;
  request: string;
  summary: string;
  known: string;
  messages: readonly QuotedMessage[];
  candidates: string;
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
  messages: readonly ClaimedMessage[],
  candidates: string,
  complaint: string | undefined,
): string {
  const wanted = messages.flatMap(({ message }, index) => (message.type === "summarize" ? [index + 1] : []));
  return [
    wanted.length === 0
      ? "No summary is asked for."
      : `A summary is asked for by ${wanted.map((number) => `[${number}]`).join(", ")}.`,
    candidates,
    complaint === undefined ? "" : `An earlier answer could not be used: ${complaint}.`,
    "Answer with the JSON object.",
  ]
    .filter((line) => line !== "")
    .join("\n");
}
