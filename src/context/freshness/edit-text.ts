// Replaces the title or text of an observation with the user's words.
import { MemError } from "../../core/errors.ts";
import { isQuote, quotedTexts, wholeText } from "../../core/records/quoted-text.ts";
import { type Observation, parseList } from "../../core/records/records.ts";
import { cleanPrompt } from "../../privacy/clean.ts";
import { parseRule } from "../../statements/rules/prohibitions.ts";
import { excerpt } from "../../text/excerpt.ts";
import { notFound } from "./review.ts";

/** At least one of both. */
export interface TextChange {
  title?: string | undefined;
  text?: string | undefined;
}

type EditedText = Pick<Observation, "title" | "summary" | "narrative" | "concepts">;

interface EditDeps {
  commit<T>(write: () => T): Promise<T>;
  byId(id: number): Observation | undefined;
  /** Stores it, raises the revision, updates the search index and marks the record for sync. */
  editText(id: number, text: EditedText): Observation | undefined;
  onEdited(observation: Observation): void;
}

/** Resolves to the edited record. Throws `not_found`, or `invalid_request` for an empty or private text. */
export type EditText = (id: number, change: TextChange) => Promise<Observation>;

export function createEditText({ commit, byId, editText, onEdited }: EditDeps): EditText {
  return async (id, { title, text }) => {
    const change = { title: title && storable(title, "title"), text: text && storable(text, "text") };
    const edited = await commit(() => {
      const observation = byId(id);
      if (observation === undefined) return undefined;
      const after = textsAfter(observation, change);
      if (isSame(observation, after)) return { observation, isChanged: false };
      return { observation: editText(id, after) ?? observation, isChanged: true };
    });
    if (edited === undefined) throw notFound(id);
    if (edited.isChanged) onEdited(edited.observation);
    return edited.observation;
  };
}

function storable(written: string, what: "title" | "text"): string {
  const { text, isPrivate } = cleanPrompt(written);
  const trimmed = what === "title" ? text.replace(/\s+/g, " ").trim() : text.trim();
  if (trimmed !== "") return trimmed;
  throw new MemError("invalid_request", {
    message: isPrivate
      ? `The whole ${what} is private. Nothing was changed.`
      : `The ${what} is empty. Nothing was changed.`,
    hint: "To hide the observation instead: `mem reject <id>`.",
  });
}

// A rule stays one line, and its form (forbids or not) is read again.
function textsAfter(observation: Observation, { title, text }: TextChange): EditedText {
  const { concepts } = observation;
  const before = { ...observation, title: title ?? observation.title };
  if (text === undefined || text === wholeText(observation).trim()) return before;
  if (observation.standing === 1) {
    const line = text.replace(/\s+/g, " ");
    return { ...quotedTexts(line), concepts: withForm(concepts, ruleForm(line)) };
  }
  if (isQuote(observation)) return { concepts, ...quotedTexts(text), ...(title && { title }) };
  const summary = excerpt(text.split(/\n\s*\n/)[0] ?? text, summaryChars);
  return { title: before.title, concepts, summary, narrative: summary === text ? null : text };
}

const summaryChars = 600;

/** The concept of a rule: `gotcha` for one that forbids something. */
export function ruleForm(text: string): "gotcha" | "pattern" {
  return parseRule(text).forbids ? "gotcha" : "pattern";
}

function withForm(concepts: string, form: ReturnType<typeof ruleForm>): string {
  const others = parseList(concepts).filter((concept) => concept !== "pattern" && concept !== "gotcha");
  return JSON.stringify([form, ...others]);
}

function isSame(observation: Observation, { title, summary, narrative }: EditedText): boolean {
  return (
    observation.title === title && observation.summary === summary && observation.narrative === narrative
  );
}
