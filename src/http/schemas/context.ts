// Wire shapes of context: the newest records, and the text a host injects.
import * as z from "zod";
import { commaList, optionalText, wholeNumberOr } from "./fields.ts";
import { parsedObservation, parsedSummary } from "./records.ts";

/** Query of `GET /api/context/recent`. */
export const recentQuery = z.lazy(() =>
  z.object({ project: optionalText(), limit: wholeNumberOr(3, 1, 100) }),
);

/** The newest summaries and observations. */
export const recentAnswer = z.lazy(() =>
  z.object({ summaries: z.array(parsedSummary), observations: z.array(parsedObservation) }),
);

export type RecentAnswer = z.output<typeof recentAnswer>;

/** Query of `GET /api/context/preview`: `project`, or `projects` as a comma list; `colors=false` for a pipe or a file. */
export const previewQuery = z.lazy(() => ofProjects(textQuery("true")));

/** Query of `GET /api/context/inject`: the same, and `colors` for a terminal. */
export const injectQuery = z.lazy(() => ofProjects(textQuery("false")));

/** `previewQuery` where a key may say which project is meant. */
export const keyedPreviewQuery = z.lazy(() => allLabels(textQuery("true")));

/** `injectQuery` where a key may say which project is meant. */
export const keyedInjectQuery = z.lazy(() => allLabels(textQuery("false")));

function textQuery(colors: "true" | "false") {
  return z.object({
    project: optionalText(),
    projects: commaList(),
    colors: z
      .enum(["true", "false", "1", "0"])
      .default(colors)
      .transform((text) => text === "true" || text === "1"),
  });
}

interface Labels {
  project?: string | undefined;
  projects: string[];
}

// The labels of both parameters; there must be one.
function ofProjects<O extends Labels>(fields: z.ZodType<O>) {
  return allLabels(fields).refine(({ projects }) => projects.length > 0, {
    path: ["project"],
    error: "must name a project, for example ?project=my-app or ?projects=my-app,my-lib",
  });
}

// Each once.
function allLabels<O extends Labels>(fields: z.ZodType<O>) {
  return fields.transform(({ project, projects, ...rest }) => ({
    ...rest,
    projects: [...new Set(project === undefined ? projects : [project, ...projects])],
  }));
}

/** The text to inject; empty without records. */
export const injectAnswer = z.lazy(() => z.string());
