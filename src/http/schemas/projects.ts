// Wire shapes of projects, and of the context files in their folders.
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
          /** Its records go to the user's other devices, once a hub is set up. */
          synced: z.boolean(),
          /** Project of the team's server that its records go to. */
          team_project: z.string().nullable(),
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

/** Every file that was written into. */
export const folderFiles = z.lazy(() =>
  z.object({
    files: z.array(
      z
        .object({
          path: z.string(),
          project: z.string(),
          written_at_epoch: epochMs(),
          is: z.enum(["there", "gone"]),
        })
        .meta({ id: "FolderFile" }),
    ),
  }),
);

const name = (what: string) => {
  const error = `must be ${what}, a text of 1 to 4096 characters`;
  return z.string({ error }).min(1, { error }).max(4096, { error }).optional();
};

export const refreshFoldersBody = z.lazy(() => z.strictObject({ project: name("the label of a project") }));

export const removeFoldersBody = z.lazy(() => z.strictObject({ under: name("an absolute path") }));

const left = () => z.array(z.object({ path: z.string(), why: z.string() }));

/** Removed files, and those that could not be changed safely. */
export const removedFolders = z.lazy(() => z.object({ removed: z.array(z.string()), left: left() }));

export const refreshedFolders = z.lazy(() =>
  z.object({ written: z.array(z.string()), removed: z.array(z.string()), left: left() }),
);

export type FolderFilesAnswer = z.output<typeof folderFiles>;
export type RefreshedFolders = z.output<typeof refreshedFolders>;
export type RemovedFolders = z.output<typeof removedFolders>;
