// Wire shapes of imports: records of an export, parts of transcripts, and how far a source was read.
import * as z from "zod";
import { anyJson, anyJsonObject } from "./fields.ts";

// A request is answered in a fraction of a second.
const maxImportedRecords = 200;

/** Body of `POST /api/import/records`. */
export const importBody = z.lazy(() =>
  z.object({
    records: z
      .array(anyJson())
      .min(1)
      .max(maxImportedRecords)
      .meta({ description: "Lines of an export, without its header and its end." }),
  }),
);

/** Answer of `POST /api/import/records`. */
export const importedRecords = z.lazy(() =>
  z
    .object({
      outcomes: z.array(z.enum(["added", "present", "deleted", "excluded", "refused"])).meta({
        description:
          "Of each record: `present` is here and stays as it is, `deleted` was deleted here, `excluded` is of an excluded project or path, `refused` is not valid.",
      }),
      faults: z
        .array(z.object({ index: z.int(), fault: z.string() }))
        .meta({ description: "Why records were refused." }),
    })
    .meta({ id: "ImportedRecords" }),
);

export type ImportedRecords = z.output<typeof importedRecords>;

const source = () =>
  z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .meta({ description: "Hash of the kind and place of the source." });

/** Body of `POST /api/import/events`. */
export const eventsBody = z.lazy(() =>
  z.strictObject({
    source: source(),
    host: z.string().min(1).max(100),
    folder: z
      .string()
      .min(1)
      .max(4_096)
      .optional()
      .meta({ description: "The host's folder of settings: the memory of its agent there is read too." }),
    events: z
      .array(
        z.strictObject({
          event: z.string().min(1).max(100),
          at: z.int().min(0).max(8.64e15),
          key: z.string().min(1).max(1024),
          turn: z.string().min(1).max(1024).nullable(),
          branch: z.string().max(1024).optional(),
          commit: z.string().max(1024).optional(),
          remote: z.string().max(4096).optional(),
          payload: anyJsonObject(),
        }),
      )
      .max(1_000),
    position: anyJson().optional().meta({ description: "Where the source continues after this part." }),
  }),
);

/** Answer of `POST /api/import/events`. */
export const eventCounts = z.lazy(() =>
  z
    .object({
      sessions: z.int(),
      prompts: z.int(),
      toolUses: z.int(),
      turns: z.int(),
      known: z.int().meta({ description: "Recorded live, or imported before." }),
      skipped: z.int().meta({ description: "Private, of an excluded tool, or deleted by the user." }),
    })
    .meta({ id: "ImportedEvents" }),
);

export const importParams = z.lazy(() => z.object({ source: source() }));

/** Answer of `GET /api/import/sources/:source`. */
export const importState = z.lazy(() =>
  z.object({
    position: anyJson().meta({ description: "As sent with the last part; null before the first import." }),
    waiting: z.int().meta({ description: "Imported messages, of any source, without a record yet." }),
  }),
);

/** Body of `POST /api/projects/of`. */
export const directoriesBody = z.lazy(() =>
  z.strictObject({ directories: z.array(z.string().min(1).max(4096)).max(1_000) }),
);

/** Answer of `POST /api/projects/of`, in the order of the directories. */
export const labelsAnswer = z.lazy(() => z.object({ labels: z.array(z.string()) }));
