// Why a record is in an injected text, read from what the log keeps: the moment, its cause, the text, the record.
import { termsOf } from "../text/words.ts";
import type { Injection } from "./api.ts";

type InjectedRecord = Injection["records"][number];

/** The reason in words. `words` are of the whole prompt that the text came with; the log has its beginning. */
export function injectedReason(
  injection: Injection,
  record: InjectedRecord,
  words: readonly PromptWord[],
): string {
  const section = sectionOf(injection.text, record);
  switch (injection.moment) {
    case "start":
    case "project":
      return sectionReason(section, record);
    case "prompt":
      // Without a start before it, the first prompt brings the sections of a start.
      return section === null ? promptReason(record, words) : sectionReason(section, record);
    case "file":
      return record.is_rule ? "a rule about edits of this file" : "about this file";
    case "command":
      if (record.is_rule) return "a rule about this command";
      return record.obs_type === "bugfix"
        ? "a known fix for this command"
        : "an earlier failure of this command";
    default:
      return injection.moment satisfies never;
  }
}

function sectionReason(section: string | null, { is_rule, kind }: InjectedRecord): string {
  if (is_rule) return "standing rule";
  if (section !== null) return `in “${section}”`;
  return kind === "summary" ? "summary of an earlier session" : "one of the newest records";
}

/** The heading above the line that names the record; null when the text is gone, or has none. */
function sectionOf(text: string | null, { kind, id }: InjectedRecord): string | null {
  if (text === null) return null;
  const name = new RegExp(
    `(?<!\\w)${prefixes[kind]}${id}(?!\\d)${kind === "observation" ? `|^\\| ${id} \\|` : ""}`,
  );
  let heading: string | null = null;
  for (const line of text.split("\n")) {
    if (line.startsWith("## ")) heading = line.slice(3).trim();
    else if (name.test(line)) return heading;
  }
  return null;
}

const prefixes = { observation: "#", summary: "S", prompt: "P" } as const;

const mostWords = 5;

// Of a prompt with a whole log in it, the beginning says what is asked.
const mostPromptChars = 8_000;

/** A word of a prompt, with what search compares of it. */
interface PromptWord {
  word: string;
  terms: readonly string[];
}

/** The words of a prompt for `injectedReason`, each once. */
export function promptWords(prompt: string): PromptWord[] {
  const words = prompt
    .slice(0, mostPromptChars)
    .match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}_.-]*[\p{L}\p{N}]|[\p{L}\p{N}]/gu);
  return [...new Set(words ?? [])].map((word) => ({ word, terms: termsOf(word) }));
}

function promptReason({ title }: InjectedRecord, words: readonly PromptWord[]): string {
  const own = new Set(termsOf(title));
  const shared = words.filter(({ terms }) => terms.some((term) => own.has(term)));
  const shown = [...new Set(shared.map(({ word }) => word.toLowerCase()))].slice(0, mostWords);
  return shown.length === 0 ? "fits the prompt" : `fits the prompt: ${shown.join(", ")}`;
}
