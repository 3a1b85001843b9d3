// Wire shapes of review: status, pin and text of an observation, and standing rules.
import * as z from "zod";
import { observationStatuses } from "../../core/records/records.ts";
import { keptKinds, reaches, speakers, statementKinds } from "../../core/records/statement.ts";
import { epochMs, flag, modeWord, optionalText, wholeNumberOr } from "./fields.ts";

const rule = z.lazy(() =>
  z
    .object({
      id: z.int().meta({ description: "Id of its observation." }),
      text: z.string(),
      reach: z.enum(reaches).meta({ description: "Where it applies." }),
      project: z.string().meta({ description: "Label of the project in which it was said." }),
      forbids: z.boolean(),
      said_by: z.enum(speakers).nullable(),
      proposed: z.literal(true).optional().meta({
        description: "Not sure that it is a rule: no agent gets it until the user accepts it.",
      }),
      source: z.enum(["remembered", "agent", "prompt"]).meta({
        description:
          "`remembered`: the user wrote it as a rule; `agent`: the host's agent kept it; `prompt`: it was found in what was said.",
      }),
      prompt_id: z.int().nullable().meta({ description: "The prompt that it is from, where that is known." }),
      times_said: z.int().meta({
        description: "How often it was said: rules that say the same in other words are one.",
      }),
      created_at_epoch: epochMs(),
      status: z.enum(observationStatuses),
      revision: z.int(),
    })
    .meta({ id: "Rule" }),
);

/** Answer of `POST /api/rules/:id/accept`. */
export const acceptedRule = rule;

/** Query of `GET /api/rules`. */
export const rulesQuery = z.lazy(() =>
  z.object({
    project: optionalText(),
    cwd: optionalText().meta({ description: "Without a project: of the one around this directory." }),
    all: flag(false, "The rules of every project."),
    limit: wholeNumberOr(200, 1, 1000),
  }),
);

/** Answer of `GET /api/rules`. */
export const rulesAnswer = z.lazy(() =>
  z.object({
    project: z.string().nullable().meta({
      description: "Of the project whose rules these are, besides those that apply everywhere.",
    }),
    rules: z.array(rule).meta({ description: "First those that apply everywhere, then newest first." }),
    proposals: z.array(rule).meta({ description: "Rules that the user has not accepted, newest first." }),
    contradictions: z.array(z.object({ older: z.int(), newer: z.int() })).meta({
      description: "Pairs of ids of rules that contradict each other.",
    }),
  }),
);

export type RulesAnswer = z.infer<typeof rulesAnswer>;

/** Body of `POST /api/rules`. */
export const rememberBody = z.lazy(() =>
  z.strictObject({
    kind: z.enum(keptKinds).default("rule"),
    text: z.string().min(1).max(2000),
    reach: z.enum(reaches).default("project"),
    project: z.string().min(1).max(4096).optional(),
    cwd: z.string().min(1).max(4096).optional(),
  }),
);

/** `rememberBody` as a client sends it. */
export type NewRule = z.input<typeof rememberBody>;

/** Answer of `POST /api/rules`: stored, there already, or left out because all of it is private. */
export const remembered = z.lazy(() =>
  z.union([
    z.object({
      status: z.enum(["stored", "exists", "widened"]).meta({
        description: "`widened`: the rule of a project applies everywhere now.",
      }),
      rule,
      replaces: z.array(z.int()).meta({ description: "Ids of the rules that it supersedes." }),
    }),
    z.object({ status: z.literal("skipped"), reason: z.literal("private") }),
  ]),
);

export type RememberedAnswer = z.infer<typeof remembered>;

const agentPlace = () => ({
  cwd: z.string().min(1).max(4096).optional().meta({ description: "Where the agent works." }),
  project: z.string().min(1).max(4096).optional(),
  host: z.string().min(1).max(128).optional().meta({ description: "Host agent, such as claude-code." }),
});

/** Body of `POST /api/agent/records`. */
export const keepBody = z.lazy(() =>
  z.strictObject({
    kind: z.enum(keptKinds),
    text: z.string().min(1).max(keptChars, `must have at most ${keptChars} characters: one fact a record`),
    quote: z.string().max(keptChars).optional().meta({ description: "Words that the user typed." }),
    replaces: z.int().min(1).optional().meta({ description: "The record that no longer holds." }),
    ...agentPlace(),
  }),
);

const keptChars = 1_000;

export type KeepBody = z.input<typeof keepBody>;

/** Answer of `POST /api/agent/records`. */
export const keptAnswer = z.lazy(() =>
  z.union([
    z.object({
      status: z.enum(["stored", "exists"]),
      id: z.int(),
      kind: z.enum(statementKinds).meta({ description: "A command that did not run here is a fact." }),
      proposed: z.boolean().meta({
        description:
          "A rule whose quote the user did not type in this session: injected once the user accepts it.",
      }),
      replaced: z.object({ id: z.int(), text: z.string() }).nullable(),
      kept_old: z.enum(["unknown", "of the user"]).nullable().meta({
        description: "Why the record named by `replaces` still stands.",
      }),
    }),
    z.object({ status: z.literal("skipped"), reason: z.literal("private") }),
  ]),
);

export type KeptAnswer = z.infer<typeof keptAnswer>;

/** Body of `POST /api/agent/records/:id/verdict`. */
export const verdictBody = z.lazy(() =>
  z.strictObject({
    verdict: z.enum(["wrong", "outdated", "done"]),
    why: z.string().max(keptChars).optional(),
    ...agentPlace(),
  }),
);

export type VerdictBody = z.input<typeof verdictBody>;

/** Body of `POST /api/observations/:id/text`. */
export const textBody = z.lazy(() =>
  z
    .strictObject({
      title: z.string().min(1).max(1000).optional(),
      text: z.string().min(1).max(200_000).optional(),
    })
    .refine(({ title, text }) => title !== undefined || text !== undefined, "must have a title or a text"),
);

export type TextChange = z.infer<typeof textBody>;

const isChange = (body: object): boolean => Object.values(body).some((value) => value !== undefined);
const noChange = "must have at least one field";

/** Body of `PATCH /api/observations/:id`. */
export const observationChange = z.lazy(() =>
  z
    .strictObject({
      title: z.string().min(1).max(1000).optional(),
      text: z.string().min(1).max(200_000).optional(),
      subtitle: z.string().max(4000).optional().meta({ description: "Empty removes it." }),
      facts: z.array(z.string().min(1).max(4000)).max(100).optional(),
      concepts: z.array(modeWord()).max(20).optional(),
      obs_type: modeWord().optional(),
    })
    .refine(isChange, noChange),
);

/** Body of `PATCH /api/summaries/:id`. */
export const summaryChange = z.lazy(() => {
  const part = () => z.string().max(20_000).optional().meta({ description: "Empty removes it." });
  return z
    .strictObject({
      request: part(),
      investigated: part(),
      learned: part(),
      completed: part(),
      next_steps: part(),
      notes: part(),
    })
    .refine(isChange, noChange);
});

/** Body of `PATCH /api/prompts/:id`. */
export const promptChange = z.lazy(() => z.strictObject({ prompt_text: z.string().min(1).max(262_144) }));

/** Supersede, reject, or undo the last of both. */
export const statusBody = z.lazy(() =>
  z
    .discriminatedUnion("status", [
      z.strictObject({ status: z.literal("superseded"), superseded_by: z.int().min(1).optional() }),
      z.strictObject({ status: z.literal("rejected") }),
      z.strictObject({ status: z.literal("active") }),
    ])
    .meta({ id: "ObservationStatus" }),
);

export type StatusChange = z.infer<typeof statusBody>;

export const pinBody = z.lazy(() => z.strictObject({ pinned: z.boolean() }));
