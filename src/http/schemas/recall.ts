// Wire shapes of topics, of a file's records, and of records by their ids.
import * as z from "zod";
import { commaList, modeWord, optionalText, wholeNumberOr } from "./fields.ts";
import { parsedObservation, parsedObservationFields } from "./records.ts";

/** Query of `/api/decisions`, `/api/changes` and `/api/how-it-works`. */
export const topicQuery = z.lazy(() => z.object(topicFields()));

/** Query of `/api/search/by-concept`. */
export const byConceptQuery = z.lazy(() => z.object({ concept: modeWord(), ...topicFields() }));

/** Query of `/api/search/by-type`. */
export const byTypeQuery = z.lazy(() => z.object({ type: modeWord(), ...topicFields() }));

/** Query of `/api/search/by-file`. */
export const bySearchedFileQuery = z.lazy(() =>
  z.object({ filePath: z.string().min(1, { error: pathError }).max(4096), ...topicFields() }),
);

/** Query of `GET /api/observations/by-file`: `path` (or `filePath`), of the given projects when there are any. */
export const fileTimelineQuery = z.lazy(() =>
  z
    .object({
      path: optionalText(),
      filePath: optionalText(),
      project: optionalText(),
      projects: commaList(),
      cwd: optionalText().meta({
        description: "Without a project: only of the one around this directory, or around the file.",
      }),
      limit: wholeNumberOr(15, 1, 100),
    })
    .transform(({ path, filePath, project, projects, cwd, limit }) => ({
      path: path ?? filePath ?? "",
      projects: [...new Set(project === undefined ? projects : [project, ...projects])],
      ...(cwd === undefined ? {} : { cwd }),
      limit,
    }))
    .refine(({ path }) => path !== "", { path: ["path"], error: pathError }),
);

/** A file's records, newest first; `total` includes those beyond the limit. */
export const fileTimelineAnswer = z.lazy(() =>
  z.object({
    path: z.string(),
    observations: z.array(
      z.object({
        ...parsedObservationFields(),
        changed_since: z
          .array(z.object({ path: z.string(), is: z.enum(["changed", "gone"]) }))
          .optional()
          .meta({ description: "Files of the record that are not as it saw them." }),
      }),
    ),
    count: z.int(),
    total: z.int(),
  }),
);

/** `fileTimelineAnswer`, inferred. */
export type FileTimelineAnswer = z.output<typeof fileTimelineAnswer>;

/** Body of `POST /api/observations/batch`. */
export const batchBody = z.lazy(() =>
  z.object({
    ids: z
      .array(z.int().min(1), { error: idsError })
      .min(1, { error: idsError })
      .max(100, { error: idsError }),
    project: z.string().max(4096).optional(),
  }),
);

/** The observations that are there, in the order of the ids. */
export const batchAnswer = z.lazy(() => z.array(parsedObservation));

const pathError = "must name a file, for example ?path=src/login.ts";
const idsError = "must be a list of 1 to 100 ids of observations";

function topicFields() {
  return {
    format: z.enum(["index", "full"]).default("index"),
    limit: wholeNumberOr(20, 1, 100),
    project: optionalText(),
  };
}
