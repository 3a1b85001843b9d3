// The prompts: a system text that is constant for a mode, and the messages of one batch.

import { readFileSync } from "node:fs";
import { MemError } from "../core/errors.ts";
import { contentKey } from "../core/ids.ts";
import { packageFile } from "../core/paths.ts";
import type { Mode, ModeWord } from "../core/records/mode.ts";
import { levelFor, shorten, shortenPrompt } from "../core/shorten.ts";
import type { GenerationBatch } from "./provider.ts";
import { candidateLines } from "./writer/candidates.ts";
import { type Known, knownLine } from "./writer/known-things.ts";
import { messageTexts, type QuotedMessage } from "./writer/message-text.ts";
import { mostStatements } from "./writer/quoted-statements.ts";

/** The system text of a mode. Throws `internal` when the template is missing or has other slots. */
export function systemPrompt(mode: Mode, template: string = readTemplate()): string {
  const { role, keep, skip, language, writing, types, concepts } = mode;
  const values: Readonly<Record<string, string>> = {
    ...{ role, keep, skip, language, writing },
    types: wordList(types),
    concepts: concepts.length === 0 ? "  (none: an empty list)" : wordList(concepts),
    summary: Object.entries(mode.summary)
      .map(([part, holds]) => `- ${part}: ${holds}`)
      .join("\n"),
    most: String(mostStatements),
  };
  const left = new Set(Object.keys(values));
  // One pass: a slot inside a value stays text.
  const text = template.trim().replace(/\{\{\s*([^{}]*?)\s*\}\}/g, (_, slot: string) => {
    left.delete(slot);
    const value = values[slot];
    if (value === undefined) throw broken(`has the unknown slot {{${slot}}}`);
    return value;
  });
  const [missing] = left;
  if (missing !== undefined) throw broken(`has no slot {{${missing}}}`);
  return text;
}

function readTemplate(): string {
  try {
    return readFileSync(packageFile("templates", "prompts", "system.md"), "utf8");
  } catch (cause) {
    throw broken("cannot be read", cause);
  }
}

function broken(what: string, cause?: unknown): MemError {
  return new MemError("internal", { message: `The prompt system.md ${what}.`, cause });
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
export function batchPrompt(batch: ShownBatch, { maxMessageChars, complaint }: BatchPromptOptions): string {
  const { session, messages, recentTitles, known, request = "" } = batch;
  const titles = recentTitles.slice(-maxTitles).map((title) => `- ${shorten(title, maxTitleChars)}`);
  const quoted = {
    project: shorten(messages.at(-1)?.message.project ?? session.project, maxTitleChars),
    request: shortenPrompt(request, maxRequestChars),
    summary: shorten(known.summary, maxSummaryChars),
    known: [...known.records.map(knownLine), ...titles].join("\n"),
    messages: messagesWithin(batch, maxMessageChars),
    candidates: candidatesOf(batch).join("\n"),
  };
  const mark = markFor(quoted);
  const sections = ["project", "request", "summary", "known"] as const;
  return [
    `The mark of this request is ${mark}.`,
    ["The session:", ...sections.map((name) => tagged(name, quoted[name], mark))].filter(isText).join("\n"),
    `${messages.length === 1 ? "1 message" : `${messages.length} messages`}:`,
    ...quoted.messages.map((message, index) => messageBlock(message, index + 1, mark)),
    closing(batch, tagged("candidates", quoted.candidates, mark), complaint),
  ].join("\n\n");
}

function isText(part: string): boolean {
  return part !== "";
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

// An agent wrote the prompt of its sub-agent.
function candidatesOf({ messages, turn }: GenerationBatch): string[] {
  const isOfAgent = messages.at(-1)?.message.agent_id !== undefined;
  return turn === undefined || isOfAgent ? [] : candidateLines(turn);
}

const maxTitles = 10;
const maxTitleChars = 120;
const maxRequestChars = 2_000;
const maxSummaryChars = 1_500;

function wordList(words: readonly ModeWord[]): string {
  return words.map(({ id, description }) => `  ${id}: ${description}`).join("\n");
}

// Six letters of a hash of the text; of the next hash where the text contains them.
function markFor(quoted: object): string {
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
  const lines = parts.map(({ name, text }) => tagged(name, text, mark)).filter(isText);
  return [`[${number}] ${head}`, ...lines].join("\n");
}

function closing({ turn }: ShownBatch, candidates: string, complaint: string | undefined): string {
  return [
    turn === undefined ? "The turn goes on: no summary is asked for." : "A summary is asked for.",
    candidates,
    complaint === undefined ? "" : `An earlier answer could not be used: ${complaint}.`,
    "Answer with the JSON object.",
  ]
    .filter(isText)
    .join("\n");
}
