// Wire shapes of the context that an agent would get, with the reason of each record in it.
import * as z from "zod";
import { reaches, speakers } from "../../core/records/statement.ts";
import { optionalText } from "./fields.ts";

/** Query and body of `/api/context/explain`: a project or a directory in it, and the first steps of a session. */
export const explainQuery = z.lazy(() =>
  z
    .object({
      project: optionalText(),
      cwd: optionalText().meta({ description: "Without a project: of the one around this directory." }),
      prompt: optionalText(1_000_000).meta({ description: "The first prompt of the session." }),
      file: optionalText().meta({
        description: "A file that is read or edited, absolute or from the folder of the project.",
      }),
      command: optionalText(100_000).meta({ description: "A shell command." }),
    })
    .transform(({ project, cwd, ...actions }, refused) => {
      if (project !== undefined) return { ...actions, project };
      if (cwd !== undefined) return { ...actions, cwd };
      refused.addIssue({ code: "custom", path: ["project"], message: "must be given, or `cwd`" });
      return z.NEVER;
    }),
);

const reason = z.lazy(() =>
  z.discriminatedUnion("by", [
    z.object({
      by: z.literal("section"),
      section: z.string().meta({ description: "Heading in the text of the start." }),
    }),
    z.object({
      by: z.literal("score"),
      score: z.number(),
      shared: z.array(z.string()).meta({ description: "Words of the prompt that the record has." }),
      turn: z.array(z.string()).meta({ description: "Words of the prompt that only its turn has." }),
    }),
    z.object({ by: z.literal("search") }),
    z.object({ by: z.literal("file") }),
    z.object({ by: z.literal("rule") }),
    z.object({ by: z.literal("family"), family: z.string().meta({ description: "The command family." }) }),
  ]),
);

const explainedRecord = z.lazy(() =>
  z
    .object({
      kind: z.enum(["observation", "session", "prompt"]),
      id: z.int(),
      observation: z
        .object({
          obs_type: z.string(),
          said_by: z.enum(speakers).nullable(),
          standing: z.union([z.literal(0), z.literal(1)]),
          reach: z.enum(reaches),
          salience: z.number().nullable(),
        })
        .nullable()
        .meta({ description: "Null for a session summary." }),
      reason,
    })
    .meta({ id: "ExplainedRecord" }),
);

/** Answer of `/api/context/explain`. */
export const contextExplanation = z.lazy(() =>
  z.object({
    project: z.string(),
    unknown: z.string().nullable().meta({ description: "A sentence when there is no such project." }),
    left_out: z
      .object({ agent: z.string(), records: z.array(z.int()) })
      .nullable()
      .meta({ description: "Records that the memory files of this agent say already." }),
    moments: z.array(
      z.object({
        moment: z.enum(["start", "prompt", "file", "command"]),
        text: z.string().meta({ description: "Exactly what a host injects; empty when there is nothing." }),
        tokens: z.int(),
        records: z.array(explainedRecord),
        nothing: z.string().nullable().meta({ description: "Why the text is empty." }),
      }),
    ),
  }),
);

export type ContextExplanation = z.infer<typeof contextExplanation>;
