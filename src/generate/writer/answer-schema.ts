// The shape of an answer: requested with the ids of the mode, and read leniently.
import * as z from "zod";
import type { Mode, ModeWord } from "../../core/records/mode.ts";
import { reaches, speakers } from "../../core/records/statement.ts";
import { askedKinds } from "./statement-kinds.ts";

/** JSON Schema of the requested answer. */
export function answerJsonSchema(mode: Mode): object {
  const schema = z.toJSONSchema(askedFor(mode), { target: "draft-7" });
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== "$schema"));
}

/** An answer with checked shape: missing parts are empty, a single text is a list of one. */
export type ReadAnswer = z.output<typeof readAnswer>;
export type ReadObservation = ReadAnswer["observations"][number];
export type ReadSummary = ReadAnswer["summaries"][number];
export type ReadStatement = ReadSummary["statements"][number];

// Entries read of an answer; a batch has far fewer messages.
const mostDrafts = 60;
const mostEntries = 60;
const mostStatementsRead = 24;

export const readAnswer = z.lazy(() => looseAnswer());

function looseAnswer() {
  const { text, list, number, numbers, yes } = looseParts();
  const lists = { facts: list, concepts: list, files_read: list, files_modified: list };
  return z.object({
    observations: capped(
      z.object({
        type: text,
        title: text,
        subtitle: text,
        narrative: text,
        ...lists,
        sources: numbers,
      }),
    ),
    summaries: capped(
      z.object({
        source: number.default(Number.NaN),
        request: text,
        investigated: text,
        learned: text,
        completed: text,
        next_steps: text,
        notes: text,
        ...lists,
        statements: looseStatements({ text, yes, numbers }),
      }),
    ),
    confirmed: numbers,
    closes: numbers,
    nothing: yes,
  });
}

// A malformed statement is dropped: it must not cost the records of the answer.
function looseStatements({
  text,
  yes,
  numbers,
}: Pick<ReturnType<typeof looseParts>, "text" | "yes" | "numbers">) {
  const statement = z.object({
    kind: text,
    said_by: text,
    quote: text,
    title: text,
    standing: yes,
    reach: text,
    replaces: numbers,
  });
  return z.preprocess(
    (value) =>
      (Array.isArray(value) ? value : [])
        .slice(0, mostStatementsRead)
        .filter((entry) => statement.safeParse(entry).success),
    z.array(statement),
  );
}

// Accepts a number or null as a text, a text as a list of one, and a text as a number.
function looseParts() {
  const text = z.union([z.string(), z.number().transform(String), z.null().transform(() => "")]).default("");
  const list = z
    .preprocess(
      (value) =>
        typeof value === "string"
          ? [value]
          : Array.isArray(value)
            ? value.slice(0, mostEntries)
            : (value ?? []),
      z.array(z.union([z.string(), z.number().transform(String), z.unknown().transform(() => "")])),
    )
    .default([]);
  const number = z
    .union([
      z.number(),
      z
        .string()
        .regex(/^\s*\[?#?\d{1,9}\]?\s*$/)
        .transform((text) => Number(/\d+/.exec(text)?.[0])),
    ])
    .catch(Number.NaN);
  const numbers = z
    .preprocess(
      (value) => (Array.isArray(value) ? value.slice(0, mostEntries) : value === undefined ? [] : [value]),
      z.array(number),
    )
    .default([]);
  const yes = z.preprocess((value) => value === true || value === "true", z.boolean()).default(false);
  return { text, list, number, numbers, yes };
}

function capped<S extends z.ZodType>(entry: S) {
  return z.array(entry).max(mostDrafts).default([]);
}

function askedFor(mode: Mode) {
  const texts = z.array(z.string());
  const asked = {
    facts: texts,
    concepts: mode.concepts.length === 0 ? texts : z.array(z.enum(ids(mode.concepts))),
    files_read: texts,
    files_modified: texts,
  };
  // Not z.int(): vendors refuse the keywords of its bounds.
  const number = z.number().meta({ type: "integer" });
  return z.strictObject({
    observations: z.array(
      z.strictObject({
        type: z.enum(ids(mode.types)),
        title: z.string(),
        subtitle: z.string(),
        narrative: z.string(),
        ...asked,
        sources: z.array(number),
      }),
    ),
    summaries: z.array(
      z.strictObject({
        source: number,
        request: z.string(),
        investigated: z.string(),
        learned: z.string(),
        completed: z.string(),
        next_steps: z.string(),
        notes: z.string(),
        ...asked,
        statements: z.array(
          z.strictObject({
            kind: z.enum(askedKinds),
            said_by: z.enum(speakers),
            quote: z.string(),
            title: z.string(),
            standing: z.boolean(),
            reach: z.enum(reaches),
            replaces: z.array(number),
          }),
        ),
      }),
    ),
    confirmed: z.array(number),
    closes: z.array(number),
    nothing: z.boolean(),
  });
}

function ids(words: readonly ModeWord[]): string[] {
  return words.map(({ id }) => id);
}
