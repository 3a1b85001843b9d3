// What the user writes in place of an observation's title or text.

import { MemError } from "../../core/errors.ts";
import { isQuote, quotedTexts, wholeText } from "../../core/records/quoted-text.ts";
import { type Observation, parseList } from "../../core/records/records.ts";
import { cleanPrompt } from "../../privacy/clean.ts";
import { excerpt } from "../../text/excerpt.ts";

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
  forbids(text: string): boolean;
  /** Hears of the record as it is then. */
  onEdited(observation: Observation): void;
}

export type EditText = (id: number, change: TextChange) => Promise<Observation>;

/** Resolves to the record as it is then. Throws `not_found`, or `invalid_request` for a text of which nothing may be stored. */
export function createEditText({ commit, byId, editText, forbids, onEdited }: EditDeps): EditText {
  return async (id, { title, text }) => {
    const change = { title: title && storable(title, "title"), text: text && storable(text, "text") };
    const edited = await commit(() => {
      const observation = byId(id);
      if (observation === undefined) return undefined;
      const after = editedTexts(observation, change, forbids);
      if (isSame(observation, after)) return { observation, isChanged: false };
      return { observation: editText(id, after) ?? observation, isChanged: true };
    });
    if (edited === undefined) throw notThere(id);
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

/** The texts of the record after the change. A rule stays one line, and says again whether it forbids. */
function editedTexts(
  observation: Observation,
  { title, text }: TextChange,
  forbids: EditDeps["forbids"],
): EditedText {
  const before = { ...observation, title: title ?? observation.title };
  if (text === undefined || text === wholeText(observation).trim()) return textsOf(before);
  if (observation.standing === 1) {
    const line = text.replace(/\s+/g, " ");
    return { ...quotedTexts(line), concepts: withForm(observation.concepts, forbids(line)) };
  }
  if (isQuote(observation)) return textsOf({ ...before, ...quotedTexts(text), ...(title && { title }) });
  const summary = excerpt(text.split(/\n\s*\n/)[0] ?? text, summaryChars);
  return textsOf({ ...before, summary, narrative: summary === text ? null : text });
}

const summaryChars = 600;

function textsOf({ title, summary, narrative, concepts }: EditedText): EditedText {
  return { title, summary, narrative, concepts };
}

function withForm(concepts: string, isForbidding: boolean): string {
  const others = parseList(concepts).filter((concept) => concept !== "pattern" && concept !== "gotcha");
  return JSON.stringify([isForbidding ? "gotcha" : "pattern", ...others]);
}

function isSame(observation: Observation, after: EditedText): boolean {
  const { title, summary, narrative } = after;
  return (
    observation.title === title && observation.summary === summary && observation.narrative === narrative
  );
}

function notThere(id: number): MemError {
  return new MemError("not_found", {
    message: `There is no observation ${id}.`,
    hint: "List observations with their ids: `mem search <words>`.",
  });
}
