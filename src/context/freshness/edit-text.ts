// Replaces the title or text of an observation with the user's words.
import { MemError } from "../../core/errors.ts";
import { isQuote, quotedTexts, wholeText } from "../../core/records/quoted-text.ts";
import { type Observation, parseList } from "../../core/records/records.ts";
import { cleanPrompt } from "../../privacy/clean.ts";
import { parseRule } from "../../statements/rules/prohibitions.ts";
import { excerpt } from "../../text/excerpt.ts";
import { notFound } from "./review.ts";

/** At least one field. */
export interface TextChange {
  title?: string | undefined;
  text?: string | undefined;
  /** Empty removes it. */
  subtitle?: string | undefined;
  facts?: readonly string[] | undefined;
  concepts?: readonly string[] | undefined;
  obs_type?: string | undefined;
}

type EditedText = Pick<
  Observation,
  "title" | "subtitle" | "summary" | "narrative" | "facts" | "concepts" | "obs_type"
>;

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
  return async (id, change) => {
    const cleaned = cleanedChange(change);
    const edited = await commit(() => {
      const observation = byId(id);
      if (observation === undefined) return undefined;
      const after = { ...besideText(observation, cleaned), ...textsAfter(observation, cleaned) };
      if (isSame(observation, after)) return { observation, isChanged: false };
      return { observation: editText(id, after) ?? observation, isChanged: true };
    });
    if (edited === undefined) throw notFound(id);
    if (edited.isChanged) onEdited(edited.observation);
    return edited.observation;
  };
}

function cleanedChange({ title, text, subtitle, facts, ...labels }: TextChange): TextChange {
  return {
    ...labels,
    title: title && oneLineOf(storable(title, "title")),
    text: text && storable(text, "text"),
    subtitle: subtitle && oneLineOf(storable(subtitle, "subtitle")),
    facts: facts?.map((fact) => oneLineOf(storable(fact, "fact"))),
  };
}

const oneLineOf = (text: string): string => text.replace(/\s+/g, " ");

/** The text as it may be stored. Throws `invalid_request` when nothing of it is left. */
export function storable(written: string, what: string): string {
  const { text, isPrivate } = cleanPrompt(written);
  const trimmed = text.trim();
  if (trimmed !== "") return trimmed;
  throw new MemError("invalid_request", {
    message: isPrivate
      ? `The whole ${what} is private. Nothing was changed.`
      : `The ${what} is empty. Nothing was changed.`,
    hint: "To hide an observation instead: `mem reject <id>`.",
  });
}

// Of a rule the form is added to the concepts.
function besideText(
  observation: Observation,
  { subtitle, facts, concepts, obs_type }: TextChange,
): Pick<EditedText, "subtitle" | "facts" | "concepts" | "obs_type"> {
  const { standing, summary, narrative } = observation;
  const own = JSON.stringify(concepts ?? parseList(observation.concepts));
  return {
    subtitle: subtitle === undefined ? observation.subtitle : subtitle || null,
    facts: facts === undefined ? observation.facts : JSON.stringify(facts),
    concepts:
      concepts !== undefined && standing === 1
        ? withForm(own, ruleForm(wholeText({ summary, narrative })))
        : own,
    obs_type: obs_type ?? observation.obs_type,
  };
}

// A rule stays one line, and its form (forbids or not) is read again.
function textsAfter(
  observation: Observation,
  { title = observation.title, text, concepts = parseList(observation.concepts) }: TextChange,
): Pick<EditedText, "title" | "summary" | "narrative"> & Partial<EditedText> {
  const { summary: before, narrative } = observation;
  if (text === undefined || text === wholeText(observation).trim())
    return { title, summary: before, narrative };
  if (observation.standing === 1) {
    const line = oneLineOf(text);
    return { ...quotedTexts(line), concepts: withForm(JSON.stringify(concepts), ruleForm(line)) };
  }
  const isTitled = title !== observation.title;
  if (isQuote(observation)) return { ...quotedTexts(text), ...(isTitled && { title }) };
  const summary = excerpt(text.split(/\n\s*\n/)[0] ?? text, summaryChars);
  return { title, summary, narrative: summary === text ? null : text };
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

function isSame(observation: Observation, after: EditedText): boolean {
  const { concepts, ...texts } = after;
  const names = Object.keys(texts) as (keyof typeof texts)[];
  return (
    names.every((name) => observation[name] === texts[name]) &&
    JSON.stringify(parseList(observation.concepts)) === concepts
  );
}
