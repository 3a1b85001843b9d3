// Wire shapes of context files in folders: which there are, refreshed and removed.
import * as z from "zod";
import { epochMs } from "./fields.ts";

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

/** Files taken back, and those left as they are because they could not be changed safely. */
export const removedFolders = z.lazy(() => z.object({ removed: z.array(z.string()), left: left() }));

export const refreshedFolders = z.lazy(() =>
  z.object({ written: z.array(z.string()), removed: z.array(z.string()), left: left() }),
);

export type FolderFilesAnswer = z.output<typeof folderFiles>;
export type RefreshedFolders = z.output<typeof refreshedFolders>;
export type RemovedFolders = z.output<typeof removedFolders>;
