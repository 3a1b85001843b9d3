// Wire shapes of search.
import * as z from "zod";
import { observationStatuses, provenances } from "../../core/records/records.ts";
import {
  commaList,
  epochMs,
  gitPlace,
  isoTimestamp,
  modeWord,
  optionalText,
  wholeNumberOr,
} from "./fields.ts";
import { parsedObservationFields, parsedSummaryFields, promptFields, statementMarks } from "./records.ts";

/** Query of `GET /api/search`, body of `POST`. A `type` that is no category is read as `obs_type`. */
export const searchQuery = z.lazy(() =>
  z
    .object({
      query: optionalText(1_000_000),
      type: modeWord()
        .optional()
        .meta({ description: `${searchCategories.join(", ")}, or a type of observation.` }),
      format: z.enum(["index", "full"]).default("index"),
      limit: wholeNumberOr(20, 1, 100),
      offset: wholeNumberOr(0, 0, 100_000),
      together: trueOrFalse().meta({
        description: "`limit` and `offset` count the records of all kinds, each text once.",
      }),
      routine: trueOrFalse().meta({ description: "false: without routine steps, such as reads." }),
      project: optionalText(),
      obs_type: modeWord().optional(),
      concepts: commaList(),
      files: commaList(),
      branch: optionalText().meta({ description: "Records made on this git branch." }),
      dateStart: isoTimestamp("start"),
      dateEnd: isoTimestamp("end"),
      cwd: optionalText().meta({
        description: "Directory of the reader: records of git branches that are not merged there rank lower.",
      }),
    })
    .transform(({ type, ...rest }) => {
      const category = type === undefined ? undefined : searchCategoryOf(type);
      if (category !== undefined) return { ...rest, type: category };
      if (type === undefined) return rest;
      return { ...rest, type: "observations" as const, obs_type: rest.obs_type ?? type };
    }),
);

function trueOrFalse() {
  const text = z.enum(["true", "false"], { error: "must be true or false" });
  return text.transform((word) => word === "true").optional();
}

/** `searchQuery`, inferred. */
export type SearchQuery = z.output<typeof searchQuery>;

/** Answer of `GET /api/search`: index form or whole records; with words, each has a rank (lower is better), of one order. */
export const searchAnswer = z.lazy(() =>
  z.object({
    // The line first: nearly all answers are lines, and a failed try of a record costs more than the search.
    observations: z.array(z.union([observationHit, ranked(parsedObservationFields())])),
    sessions: z.array(z.union([textHit, ranked(parsedSummaryFields())])),
    prompts: z.array(z.union([textHit, ranked(promptFields())])),
    totalResults: z.int(),
    query: z.string(),
    notes: z
      .array(z.string())
      .meta({ description: "Notes for the reader, such as an unavailable part of the search." }),
  }),
);

/** `searchAnswer`, inferred. */
export type SearchAnswer = z.output<typeof searchAnswer>;

/** What a search finds. */
export const searchCategories = ["observations", "sessions", "prompts"] as const;

/** The category of a word, in singular or plural. */
function searchCategoryOf(word: string): (typeof searchCategories)[number] | undefined {
  return searchCategories.find((name) => name === word || name === `${word}s`);
}

// Index forms: of an observation, and of a session summary or prompt.
const observationHit = z.lazy(() =>
  z
    .object({
      ...hitFields(),
      title: z.string(),
      obs_type: z.string(),
      status: z
        .enum(observationStatuses)
        .optional()
        .meta({ description: "Review status; left out while active." }),
      superseded_by: z.int().nullable().optional(),
      provenance: z
        .enum(provenances)
        .optional()
        .meta({ description: "Source; left out unless it is the web or an MCP server." }),
      ...statementMarks(),
    })
    .meta({ id: "ObservationHit" }),
);
const textHit = z.lazy(() => z.object({ ...hitFields(), title: z.string() }).meta({ id: "TextHit" }));

function hitFields() {
  return {
    id: z.int(),
    preview: z.string(),
    project: z.string(),
    created_at_epoch: epochMs(),
    rank: z.number().optional(),
    matched_by: matchedBy(),
    ...gitPlace(),
  };
}

function ranked<F extends z.ZodRawShape>(fields: F) {
  return z.object({ ...fields, rank: z.number().optional(), matched_by: matchedBy() });
}

function matchedBy() {
  return z.array(z.enum(["words", "parts", "neighbours", "vectors", "filters", "time", "open"]));
}
