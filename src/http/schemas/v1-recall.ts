// Wire shapes of the hosted server's reads of memory, and of records written by hand.
import * as z from "zod";
import { reaches, speakers, statementKinds } from "../../core/records/statement.ts";
import { anyId, anyJsonObject, epochMs, wholeNumberOr, word } from "./fields.ts";

/** A record of memory. */
export const observation = z.lazy(() =>
  z
    .object({
      id: z.string(),
      projectId: z.string(),
      teamId: z.string(),
      sessionId: z.string().nullable(),
      serverSessionId: z.string().nullable().meta({ description: "The same as sessionId." }),
      kind: z
        .string()
        .meta({ description: "observation, session_summary, manual, or a name of the writer's." }),
      type: z.string(),
      title: z.string(),
      content: z.string().meta({ description: "The whole record as one text." }),
      facts: z.array(z.string()),
      concepts: z.array(z.string()),
      filesRead: z.array(z.string()),
      filesModified: z.array(z.string()),
      provenance: z.string(),
      saidBy: z.enum(speakers).nullable().meta({
        description:
          "Who said it, for something that was said or concluded; null for an account of what was done.",
      }),
      statementKind: z.enum(statementKinds).nullable().meta({ description: "What a statement is." }),
      standing: z.boolean().meta({ description: "A rule that stands until the user revokes it." }),
      reach: z.enum(reaches).meta({ description: "Where a rule applies." }),
      salience: z.number().nullable().meta({
        description:
          "How likely a colleague would pass it on, a logit; null for an account of what was done.",
      }),
      routine: z.boolean().meta({
        description: "Work of no lasting interest, which is ranked last and not injected.",
      }),
      status: z.enum(["active", "superseded"]).meta({
        description: "superseded: a newer record holds instead, or later work finished what it says.",
      }),
      metadata: anyJsonObject(),
      createdAtEpoch: epochMs(),
      updatedAtEpoch: epochMs(),
      score: z
        .number()
        .optional()
        .meta({ description: "Higher is better; left out where nothing was compared." }),
    })
    .meta({ id: "V1Observation" }),
);

/** `observation`, inferred. */
export type WireObservation = z.output<typeof observation>;

const maxQueryChars = 100_000;

const filters = () => ({
  projectId: anyId().optional(),
  platformSource: z.string().max(256).optional(),
  kind: z.string().max(64).optional(),
  obsType: z.string().max(64).optional(),
});

/** Body of `POST /v1/search`. Stop words alone find the newest records. */
export const searchBody = z.lazy(() =>
  z.strictObject({ ...filters(), query: z.string().max(maxQueryChars), limit: wholeNumberOr(20, 1, 100) }),
);

/** Query of `GET /v1/recall`, body of `POST`: without `query` the newest records. */
export const recallBody = z.lazy(() =>
  z.strictObject({
    ...filters(),
    query: z.string().max(maxQueryChars).optional(),
    limit: wholeNumberOr(20, 1, 100),
  }),
);

/** Body of `POST /v1/context`. */
export const contextBody = z.lazy(() =>
  z.strictObject({
    ...filters(),
    query: z.string().max(maxQueryChars).optional(),
    limit: wholeNumberOr(10, 1, 50),
    tokenBudget: wholeNumberOr(2400, 100, 50_000).meta({
      description: "Tokens that the context takes at most.",
    }),
  }),
);

const notes = () =>
  z.array(z.string()).optional().meta({
    description:
      "What to know of the answer: how a time in the words was read, a part of the search that is not available.",
  });

export const observationsAnswer = z.lazy(() =>
  z.object({ observations: z.array(observation), notes: notes() }),
);

export const contextAnswer = z.lazy(() =>
  z.object({
    observations: z.array(observation),
    context: z.string().meta({
      description:
        "One text to be injected: statements that fit the query, rules and open work of the project, and the first records that still fit; empty without any. With a filter only the records.",
    }),
    notes: notes(),
  }),
);

/** Body of `POST /v1/memories`. */
export const newMemory = z.lazy(() =>
  z.strictObject({
    projectId: anyId().optional(),
    serverSessionId: anyId().optional(),
    content: z.string().min(1).max(400_000),
    title: z.string().max(1_000).optional(),
    kind: word(64).default("manual"),
    type: word(64).default("discovery"),
    metadata: anyJsonObject().default({}),
  }),
);

/** `newMemory`, parsed. */
export type NewMemory = z.output<typeof newMemory>;

export const memoryAnswer = z.lazy(() => z.object({ memory: observation }));

/** `{ id }` of a path. */
export const memoryParams = z.lazy(() => z.object({ id: anyId() }));
