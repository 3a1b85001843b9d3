// The fields in which the texts of a record are edited: what is shown, what is sent, and what cannot be saved.
import { modeWordId } from "../../core/records/mode.ts";
import { wholeText } from "../../core/records/quoted-text.ts";
import { observationTypes, parseList } from "../../core/records/records.ts";
import { summaryPartNames, summaryParts } from "../../core/records/summary-parts.ts";
import type { Json } from "../../text/json.ts";
import type { AnyRecord } from "../records.ts";

export interface Field {
  name: string;
  label: string;
  /** As it is shown in the form. */
  text: string;
  rows: number;
  /** What is sent for a text. */
  read(text: string): Json;
  choices?: readonly string[];
  /** Why this text cannot be saved; null when it can. */
  problemOf?(text: string): string | null;
}

/** The fields of a record's form, in their order. */
export function fieldsOf(found: AnyRecord): Field[] {
  switch (found.kind) {
    case "prompt":
      return [
        {
          name: "prompt_text",
          label: "Prompt",
          text: found.record.prompt_text,
          rows: 8,
          read: asText,
          problemOf: filled(262_144, "The prompt"),
        },
      ];
    case "summary":
      return summaryParts.map((name) => ({
        name,
        label: summaryPartNames[name],
        text: found.record[name] ?? "",
        rows: 3,
        read: asText,
        problemOf: atMost(20_000, "This part"),
      }));
    case "observation": {
      const { title, subtitle, obs_type, facts, concepts } = found.record;
      return [
        {
          name: "title",
          label: "Title",
          text: title,
          rows: 1,
          read: asText,
          problemOf: filled(1_000, "The title"),
        },
        {
          name: "subtitle",
          label: "Subtitle",
          text: subtitle ?? "",
          rows: 1,
          read: asText,
          problemOf: atMost(4_000, "The subtitle"),
        },
        {
          name: "text",
          label: "Text",
          text: wholeText(found.record).trim(),
          rows: 8,
          read: asText,
          problemOf: filled(200_000, "The text"),
        },
        {
          name: "facts",
          label: "Facts, one on each line",
          text: parseList(facts).join("\n"),
          rows: 4,
          read: asLines,
        },
        {
          name: "concepts",
          label: "Concepts, separated by commas",
          text: parseList(concepts).join(", "),
          rows: 1,
          read: asWords,
          problemOf: modeWords(20),
        },
        {
          name: "obs_type",
          label: "Type",
          text: obs_type,
          rows: 1,
          read: (written) => written.trim(),
          choices: observationTypes,
          problemOf: oneWord,
        },
      ];
    }
  }
}

/** What differs from the record, as it is sent. */
export function changeOf(fields: readonly Field[], written: FormData): Record<string, Json> {
  const change: Record<string, Json> = {};
  for (const field of fields) {
    const now = textIn(written, field);
    if (now !== asShown(field)) change[field.name] = field.read(now);
  }
  return change;
}

/** Changed fields that cannot be saved, by name, and why. */
export function problemsOf(fields: readonly Field[], written: FormData): Record<string, string> {
  const wrong = fields.flatMap((field) => {
    const now = textIn(written, field);
    const problem = now === asShown(field) ? null : (field.problemOf?.(now) ?? null);
    return problem === null ? [] : [[field.name, problem] as const];
  });
  return Object.fromEntries(wrong);
}

function textIn(written: FormData, { name }: Field): string {
  return String(written.get(name) ?? "").replaceAll("\r\n", "\n");
}

// The browser shows one kind of line end, and none in a field of one line.
function asShown({ text, rows }: Field): string {
  return rows > 1 ? text.replace(/\r\n?/g, "\n") : text.replace(/[\r\n]/g, "");
}

const asText = (text: string) => text;
const asLines = (text: string) => entries(text, "\n");
const asWords = (text: string) => entries(text, ",");

function entries(text: string, separator: string): string[] {
  return text
    .split(separator)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

function atMost(chars: number, what: string) {
  return (text: string) =>
    text.length > chars ? `${what} has at most ${chars.toLocaleString("en")} characters.` : null;
}

function filled(chars: number, what: string) {
  return (text: string) =>
    text.trim() === ""
      ? `${what} cannot be empty. To remove the record, leave the form and delete it.`
      : atMost(chars, what)(text);
}

/** Of words that a mode has: `bugfix`, `how-it-works`. */
function modeWords(most: number) {
  return (text: string) => {
    const words = entries(text, ",");
    const wrong = words.find((word) => !modeWordId.test(word));
    if (wrong !== undefined)
      return `“${wrong}” is no such word: use small letters, digits and hyphens, as in how-it-works.`;
    return words.length > most ? `There can be at most ${most}.` : null;
  };
}

function oneWord(text: string): string | null {
  return text.trim() === "" ? "The type cannot be empty." : modeWords(1)(text);
}
