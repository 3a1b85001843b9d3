// The shape of an answer: requested with the ids of the mode, and read leniently.
import * as z from "zod";
import type { Mode, ModeWord } from "../../core/records/mode.ts";
import { reaches, speakers } from "../../core/records/statement.ts";
import { type SummaryPart, summaryParts } from "../../core/records/summary-parts.ts";
import { askedKinds } from "./statement-kinds.ts";

/** JSON Schema of the requested answer. */
export function answerJsonSchema(mode: Mode): object {
  const schema = z.toJSONSchema(askedFor(mode), { target: "draft-7" });
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== "$schema"));
}

/** An answer with checked shape: missing parts are empty, a single text is a list of one. */
export type ReadAnswer = z.output<typeof readAnswer>;
export type ReadObservation = ReadAnswer["observations"][number];
export type ReadStatement = ReadAnswer["statements"][number];

// Entries read of an answer; a batch has far fewer messages.
const mostDrafts = 60;
const mostEntries = 60;
const mostStatementsRead = 24;

export const readAnswer = z.lazy(() => looseAnswer());

function looseAnswer() {
  const { text, list, numbers, yes } = looseParts();
  const shapes = shapesOf({ text, list, numbers, yes, type: text, concepts: list });
  const observations = z.array(z.object(shapes.observation)).max(mostDrafts);
  // A malformed summary or statement is dropped: it must not cost the records of the answer.
  const summary = z.object(shapes.summary).nullish().catch(null);
  const statement = z.object({ kind: text, said_by: text, reach: text, ...shapes.statement });
  const statements = z.preprocess(
    (value) =>
      (Array.isArray(value) ? value : [])
        .slice(0, mostStatementsRead)
        .filter((entry) => statement.safeParse(entry).success),
    z.array(statement),
  );
  return z.object({
    ...{ observations: observations.default([]), summary, statements },
    ...{ confirmed: numbers, closes: numbers, nothing: yes },
  });
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
  return { text, list, numbers, yes };
}

function askedFor(mode: Mode) {
  const text = z.string();
  const list = z.array(text);
  // Not z.int(): vendors refuse the keywords of its bounds.
  const numbers = z.array(z.number().meta({ type: "integer" }));
  const concepts = mode.concepts.length === 0 ? list : z.array(z.enum(ids(mode.concepts)));
  const shapes = shapesOf({ text, list, numbers, yes: z.boolean(), type: z.enum(ids(mode.types)), concepts });
  const words = { kind: z.enum(askedKinds), said_by: z.enum(speakers), reach: z.enum(reaches) };
  return z.strictObject({
    observations: z.array(z.strictObject(shapes.observation)),
    summary: z.strictObject(shapes.summary),
    statements: z.array(z.strictObject({ ...words, ...shapes.statement })),
    ...{ confirmed: numbers, closes: numbers, nothing: z.boolean() },
  });
}

interface Leaves<T, L, N, Y, W, C> {
  text: T;
  list: L;
  numbers: N;
  yes: Y;
  type: W;
  concepts: C;
}

function shapesOf<T, L, N, Y, W, C>({ text, list, numbers, yes, type, concepts }: Leaves<T, L, N, Y, W, C>) {
  const lists = { facts: list, concepts, files_read: list, files_modified: list };
  const parts = Object.fromEntries(summaryParts.map((part) => [part, text])) as Record<SummaryPart, T>;
  return {
    observation: { type, title: text, subtitle: text, narrative: text, ...lists, sources: numbers },
    summary: { ...parts, ...lists },
    statement: { quote: text, title: text, standing: yes, replaces: numbers },
  };
}

function ids(words: readonly ModeWord[]): string[] {
  return words.map(({ id }) => id);
}
