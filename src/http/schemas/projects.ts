// Wire shapes of projects: what is known of each, and how they are renamed and merged.
import * as z from "zod";
import { epochMs } from "./fields.ts";

/** Every project, newest activity first. */
export const projectDetails = z.lazy(() =>
  z.object({
    projects: z.array(
      z
        .object({
          project: z.string(),
          folder: z.string().nullable(),
          identities: z.array(z.string()),
          aliases: z.array(z.string()),
          sessions: z.int(),
          observations: z.int(),
          last_active_at_epoch: epochMs().nullable(),
        })
        .meta({ id: "Project" }),
    ),
  }),
);

const label = () => {
  const error = "must be the label of a project, a text of 1 to 4096 characters";
  return z.string({ error }).min(1, { error }).max(4096, { error });
};

export const renameBody = z.lazy(() => z.strictObject({ from: label(), to: label().max(200) }));

export const mergeBody = z.lazy(() => z.strictObject({ from: label(), into: label() }));

/** The label from now on, and how many records still have the old one. */
export const relabelled = z.lazy(() => z.object({ project: z.string(), left: z.int() }));

export type ProjectDetails = z.output<typeof projectDetails>;
export type RelabelAnswer = z.output<typeof relabelled>;
