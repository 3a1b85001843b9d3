// A mode file: its JSON text to a checked shape, whole or as an overlay, or an error that names file, field and rule.
import * as z from "zod";
import { MemError } from "../../core/errors.ts";
import { modeWordId } from "../../core/records/mode.ts";

/** A mode file without a parent: every field. */
export type WholeModeFile = z.output<typeof wholeMode>;

/** A mode file `parent--child.json`: only what differs from the parent. */
export type OverlayFile = z.output<typeof overlay>;

/** The overlay in a file's text. Throws `mode_invalid`. */
export function parseOverlay(path: string, text: string): OverlayFile {
  return checked(path, overlay, parseJson(path, text));
}

/** The whole mode in a file's text. Throws `mode_invalid`. */
export function parseWholeMode(path: string, text: string): WholeModeFile {
  return checkWholeMode(path, parseJson(path, text));
}

/** The value as a whole mode, for what an overlay made of its parent. Throws `mode_invalid`. */
export function checkWholeMode(path: string, value: unknown): WholeModeFile {
  const mode = checked(path, wholeMode, value);
  for (const list of ["types", "concepts"] as const) {
    const ids = mode[list].map(({ id }) => id);
    const twice = ids.find((id, index) => ids.indexOf(id) !== index);
    if (twice !== undefined) throw invalid(path, `${list}: the id ${twice} stands there twice`);
  }
  return mode;
}

// Longest texts in characters. All of a mode is part of every call of the model, so it is paid for every time.
const longest = { line: 120, word: 60, description: 300, paragraph: 2_000, part: 300 };
const mostTypes = 24;
const mostConcepts = 40;

// Made when the first mode is read: most commands read none.
const wholeMode = z.lazy(() =>
  z.strictObject({
    ...texts(),
    types: list(wholeWord(), 1, mostTypes),
    concepts: list(wholeWord(), 0, mostConcepts),
    summary: z.strictObject(summaryParts(), { error: anObject }),
  }),
);

const overlay = z.lazy(() =>
  z
    .strictObject({
      ...texts(),
      types: list(partialWord(), 0, mostTypes),
      concepts: list(partialWord(), 0, mostConcepts),
      summary: z.strictObject(summaryParts(), { error: anObject }).partial(),
    })
    .partial(),
);

function texts() {
  return {
    title: text(longest.word),
    description: text(longest.line * 2),
    language: text(longest.word),
    role: text(longest.paragraph),
    keep: text(longest.paragraph),
    skip: text(longest.paragraph),
    writing: text(longest.paragraph),
  };
}

function summaryParts() {
  return {
    request: text(longest.part),
    investigated: text(longest.part),
    learned: text(longest.part),
    completed: text(longest.part),
    next_steps: text(longest.part),
    notes: text(longest.part),
  };
}

function wholeWord() {
  return z.strictObject(
    { id: wordId(), label: text(longest.word), description: text(longest.description) },
    { error: anObject },
  );
}

function partialWord() {
  return wholeWord().partial({ label: true, description: true });
}

function wordId() {
  const error = "must be an id: small letters, digits and hyphens, at most 48";
  return z.string({ error }).regex(modeWordId, { error });
}

function text(max: number) {
  const rule = `a text of 1 to ${max} characters`;
  return z
    .string({
      error: ({ input }) => (input === undefined ? `is missing, it takes ${rule}` : `must be ${rule}`),
    })
    .trim()
    .min(1, { error: `must be ${rule}` })
    .max(max, { error: `must be ${rule}` });
}

function list<S extends z.ZodType>(entry: S, min: number, max: number) {
  const error = `must be a list of ${min} to ${max} objects with id, label and description`;
  return z.array(entry, { error }).min(min, { error }).max(max, { error });
}

function anObject({ code, input }: { code?: string | undefined; input?: unknown }): string | undefined {
  if (code === "unrecognized_keys") return undefined;
  return input === undefined ? "is missing, it takes an object" : "must be an object";
}

function parseJson(path: string, json: string): unknown {
  try {
    return JSON.parse(json.replace(/^\uFEFF/, ""));
  } catch (cause) {
    throw invalid(path, `it is not valid JSON (${cause instanceof Error ? cause.message : cause})`, cause);
  }
}

function checked<S extends z.ZodType>(path: string, schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw invalid(path, issue === undefined ? "it is no mode" : sentence(issue), result.error);
}

function sentence(issue: z.core.$ZodIssue): string {
  const field = issue.path.reduce<string>(
    (shown, step) =>
      typeof step === "number" ? `${shown}[${step}]` : `${shown}${shown && "."}${String(step)}`,
    "",
  );
  if (issue.code === "unrecognized_keys") {
    return `${field === "" ? "it" : field} has the unknown field ${issue.keys.slice(0, 3).join(", ")}`;
  }
  return field === "" ? "it must hold one JSON object" : `${field} ${issue.message}`;
}

function invalid(path: string, what: string, cause?: unknown): MemError {
  return new MemError("mode_invalid", { message: `${path}: ${what}.`, details: { path }, cause });
}
