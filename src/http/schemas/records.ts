// Wire shapes of observations, session summaries and prompts.
import * as z from "zod";
import { observationStatuses, provenances } from "../../core/records/records.ts";
import { reaches, speakers, statementKinds } from "../../core/records/statement.ts";
import {
  bodyWithSpellings,
  claudeSessionId,
  epochMs,
  gitPlace,
  listsAsText,
  listsParsed,
  modeWord,
  pageOf,
  syncColumns,
} from "./fields.ts";

/** An observation as the data routes answer it: its list columns are JSON arrays, as text. */
export const observation = z.lazy(() =>
  z.object({ ...observationFields(), ...listsAsText(), ...syncColumns() }).meta({ id: "Observation" }),
);

/** An observation as search and context answer it: its list columns are arrays. */
export const parsedObservation = z.lazy(() =>
  z.object(parsedObservationFields()).meta({ id: "ParsedObservation" }),
);

/** The fields of `parsedObservation`, for shapes that add to it. */
export function parsedObservationFields() {
  return { ...observationFields(), ...listsParsed(), ...syncColumns() };
}

/** A page of observations, newest first. */
export const observationPage = z.lazy(() => pageOf(listedObservation));

const listedObservation = z.lazy(() =>
  z
    .object({
      ...observationFields(),
      ...listsAsText(),
      ...syncColumns(),
      host: z.string().nullable().optional().meta({
        description: "Host agent of its session; null when the session is unknown.",
      }),
    })
    .meta({ id: "ListedObservation" }),
);

/** A finished observation that a client records itself, without the generator. */
export const recordObservationBody = z.lazy(() =>
  bodyWithSpellings(
    z.object({
      claudeSessionId: claudeSessionId(),
      project: z.string().min(1).max(4096).optional(),
      title: z.string().min(1).max(1000),
      obs_type: modeWord().default("discovery"),
      subtitle: z.string().max(4000).optional(),
      summary: z.string().max(20_000).optional(),
      narrative: z.string().max(200_000).optional(),
      facts: z.array(z.string().max(4000)).max(100).default([]),
      concepts: z.array(modeWord()).max(20).default([]),
      files_read: z.array(z.string().max(4096)).max(500).default([]),
      files_modified: z.array(z.string().max(4096)).max(500).default([]),
      prompt_number: z.int().min(0).optional(),
      cwd: z.string().max(4096).optional(),
      platformSource: z.string().max(100).optional(),
    }),
    {
      contentSessionId: "claudeSessionId",
      claude_session_id: "claudeSessionId",
      type: "obs_type",
      filesRead: "files_read",
      filesModified: "files_modified",
      promptNumber: "prompt_number",
    },
  ),
);

/** `recordObservationBody` as the handler gets it. */
export type RecordObservation = z.output<typeof recordObservationBody>;

function observationFields() {
  return {
    id: z.int(),
    sdk_session_id: z.string(),
    project: z.string(),
    obs_type: z.string(),
    title: z.string(),
    subtitle: z.string().nullable(),
    summary: z.string(),
    narrative: z.string().nullable(),
    text: z.string().nullable(),
    prompt_number: z.int().nullable(),
    generator: z.string(),
    provenance: z.enum(provenances),
    agent_id: z.string().nullable(),
    agent_type: z.string().nullable(),
    discovery_tokens: z.int(),
    created_at_epoch: epochMs(),
    status: z.enum(observationStatuses),
    pinned: z.union([z.literal(0), z.literal(1)]),
    superseded_by: z.int().nullable(),
    said_by: z.enum(speakers).nullable().meta({
      description:
        "Who said it, for something that was said or concluded; null for an account of what was done.",
    }),
    statement_kind: z.enum(statementKinds).nullable().meta({
      description: "What a statement is; null for an account of what was done.",
    }),
    standing: z.union([z.literal(0), z.literal(1)]).meta({
      description: "1 for a rule that stands until the user revokes it.",
    }),
    reach: z.enum(reaches).meta({ description: "Where a rule applies." }),
    salience: z.number().nullable().meta({
      description: "How likely a colleague would pass it on, a logit; null for an account of what was done.",
    }),
    routine: z.union([z.literal(0), z.literal(1)]).meta({
      description: "1 for work of no lasting interest, which is ranked last and not injected.",
    }),
    ...gitPlace(),
  };
}

/** The marks of a statement on an observation in short form. */
export function statementMarks() {
  return {
    said_by: z
      .enum(speakers)
      .optional()
      .meta({ description: "Who said it; left out for an account of what was done." }),
    statement_kind: z.enum(statementKinds).optional().meta({ description: "What a statement is." }),
    standing: z.literal(1).optional().meta({ description: "A rule that stands; left out otherwise." }),
    reach: z
      .literal("everywhere")
      .optional()
      .meta({ description: "A rule that applies in every project; left out otherwise." }),
    routine: z.literal(1).optional().meta({ description: "Of no lasting interest; left out otherwise." }),
  };
}

/** A session summary as the data routes answer it: its list columns are JSON arrays, as text. */
export const summary = z.lazy(() =>
  z.object({ ...summaryFields(), ...listsAsText(), ...syncColumns() }).meta({ id: "Summary" }),
);

/** A session summary as search and context answer it: its list columns are arrays. */
export const parsedSummary = z.lazy(() => z.object(parsedSummaryFields()).meta({ id: "ParsedSummary" }));

/** The fields of `parsedSummary`, for shapes that add to it. */
export function parsedSummaryFields() {
  return { ...summaryFields(), ...listsParsed(), ...syncColumns() };
}

/** A page of summaries, newest first. */
export const summaryPage = z.lazy(() => pageOf(summary));

function summaryFields() {
  const part = z.string().nullable();
  return {
    id: z.int(),
    sdk_session_id: z.string(),
    project: z.string(),
    summary_text: z.string(),
    request: part,
    investigated: part,
    learned: part,
    completed: part,
    next_steps: part,
    notes: part,
    prompt_number: z.int().nullable(),
    generator: z.string(),
    created_at_epoch: epochMs(),
    ...gitPlace(),
  };
}

/** A user prompt; prompts that were entirely private are never answered. */
export const prompt = z.lazy(() => z.object(promptFields()).meta({ id: "Prompt" }));

/** The fields of `prompt`, for shapes that add to it. */
export function promptFields() {
  return {
    id: z.int(),
    claude_session_id: z.string(),
    sdk_session_id: z.string(),
    project: z.string(),
    prompt_number: z.int(),
    prompt_text: z.string(),
    created_at_epoch: epochMs(),
    ...gitPlace(),
    ...syncColumns(),
  };
}

/** A page of prompts, newest first. */
export const promptPage = z.lazy(() => pageOf(prompt));
