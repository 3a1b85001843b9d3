// The four recall tools: short lists, then whole records by their ids.
import * as z from "zod";
import { workingPlace } from "../../core/directory.ts";
import { MemError } from "../../core/errors.ts";
import { noSuchProject } from "../../core/records/known-names.ts";
import { parseRecordName, type RecordName, recordName } from "../../core/records/record-name.ts";
import { parseLists } from "../../core/records/records.ts";
import { isOnUnknownWords } from "../../core/records/respelling.ts";
import { modeWord, wholeNumberOr } from "../../http/schemas/fields.ts";
import { listedHits, listedItem, listedLine, listedRecent } from "./listed.ts";
import { defineTool, type RecallWorker, type Tool } from "./tool.ts";
import { type Whole, wholeLines, wholeObservation, wholePrompt, wholeSummary } from "./whole.ts";

const project = () =>
  z.string().min(1).max(4096).optional().meta({ description: "Records of this project alone." });
const isoTime = () =>
  z
    .union([z.iso.date(), z.iso.datetime({ offset: true, local: true })], {
      error: "must be an ISO date or time, for example 2026-01-31 or 2026-01-31T12:00:00Z",
    })
    .optional();
const words = () => z.array(z.string().min(1).max(1000)).max(20).optional();

const search = defineTool(
  {
    name: "search",
    title: "Search the memory",
    description:
      "Finds what earlier sessions did, decided and learned. Returns short lines (id, date, type, project, title), best first; read the relevant ones with get_observations. Without a query: the newest records that match the filters. A question about last week finds records of that week.",
    input: z.strictObject({
      query: z.string().max(4000).optional().meta({ description: "A question or words." }),
      type: z
        .enum(["observations", "sessions", "prompts"], {
          error: "must be observations, sessions or prompts; a type such as bugfix goes into obs_type",
        })
        .optional()
        .meta({ description: "One kind only." }),
      obs_type: modeWord()
        .optional()
        .meta({ description: "bugfix, feature, refactor, discovery, decision, change." }),
      concepts: words().meta({ description: "One of these, such as gotcha, how-it-works, trade-off." }),
      files: words().meta({ description: "About one of these files; the end of a path is enough." }),
      project: project(),
      dateStart: isoTime(),
      dateEnd: isoTime(),
      limit: wholeNumberOr(20, 1, 100),
      offset: wholeNumberOr(0, 0, 100_000),
    }),
  },
  async (worker, given) => {
    const answer = await worker.search({
      ...defined(given),
      ...workingPlace(),
      format: "index",
      together: "true",
    });
    const results = listedHits(answer);
    const { notes } = answer;
    const found = results.length > 0 ? results.map(listedLine) : [await nothingFound(worker, given)];
    return {
      structured: { results, notes },
      lines: [
        ...notes.filter(isOnUnknownWords).map((note) => `Note: ${note}`),
        ...found,
        ...notes.filter((note) => !isOnUnknownWords(note)).map((note) => `Note: ${note}`),
      ],
    };
  },
);

const timeline = defineTool(
  {
    name: "timeline",
    title: "Timeline",
    description:
      "Lists records before and after a record or a moment, oldest first. Give `anchor` or `query`, not both.",
    input: z
      .strictObject({
        anchor: z
          .union([z.string().min(1).max(64), z.int().min(1)])
          .optional()
          .meta({ description: "12 an observation, S12 a session summary, P12 a prompt, or an ISO time." }),
        query: z.string().min(1).max(4000).optional().meta({
          description: "Instead of an anchor: the best match of a search.",
        }),
        depth_before: wholeNumberOr(10, 0, 100),
        depth_after: wholeNumberOr(10, 0, 100),
        project: project(),
      })
      .refine((given) => (given.anchor === undefined) !== (given.query === undefined), {
        path: ["anchor"],
        error: "must be given, or `query` instead of it: a record such as 12, S12 or P12, or an ISO time",
      }),
  },
  async (worker, { anchor, ...given }) => {
    const around = {
      ...defined(given),
      ...workingPlace(),
      ...(anchor === undefined ? {} : { anchor: String(anchor) }),
    };
    const found = await worker.timeline(around).catch(async (error: unknown) => {
      const unknown = isNotFound(error) ? await projectNotes(worker, 0, given.project) : [];
      throw unknown[0] === undefined ? error : new MemError("not_found", { message: unknown[0] });
    });
    const items = found.map(listedItem);
    const lines = items.map((item) => `${listedLine(item)}${item.anchor ? " (the anchor)" : ""}`);
    const notes = await projectNotes(worker, items.length, given.project);
    return {
      structured: { items, notes },
      lines: linesOr([...lines, ...notes], "No records around that."),
    };
  },
);

const recent = defineTool(
  {
    name: "recent",
    title: "Recent records",
    description: "Lists the newest observations and session summaries, newest first.",
    input: z.strictObject({
      project: project(),
      limit: wholeNumberOr(20, 1, 100).meta({ description: "Of each kind." }),
    }),
  },
  async (worker, given) => {
    const results = listedRecent(await worker.recent(defined(given)));
    const notes = await projectNotes(worker, results.length, given.project);
    return {
      structured: { results, notes },
      lines: linesOr([...results.map(listedLine), ...notes], "The memory is empty."),
    };
  },
);

const mostIds = 50;

const getObservations = defineTool(
  {
    name: "get_observations",
    title: "Read whole records",
    description:
      "Reads whole records by their ids from search, timeline or recent: observations (12), session summaries (S12), prompts (P12).",
    input: z.strictObject({
      ids: z
        .array(z.union([z.int().min(1), z.string().max(32)]).transform(named))
        .min(1)
        .max(mostIds),
      project: project(),
    }),
  },
  async (worker, { ids, project: only }) => {
    const found = await wholeRecords(worker, ids, only);
    const there = new Set(found.map(({ id }) => id));
    const missing = [...new Set(ids.map(recordName))].filter((id) => !there.has(id));
    if (found.length === 0) throw noneOf(missing, only, await projectNotes(worker, 0, only));
    const records = withinBudget(found);
    const left_out = found.slice(records.length).map(({ id }) => id);
    const lines = [
      ...records.flatMap(wholeLines),
      ...(missing.length === 0 ? [] : [`Not found: ${missing.join(", ")}.`]),
      ...(left_out.length === 0 ? [] : [`Too long for one answer. Read separately: ${left_out.join(", ")}.`]),
    ];
    return { structured: { records, missing, left_out }, lines };
  },
);

/** Every tool. */
export const tools: readonly Tool[] = [search, timeline, getObservations, recent];

function named(text: string | number, context: z.RefinementCtx): RecordName {
  const name = parseRecordName(String(text));
  if (name !== undefined) return name;
  context.addIssue({ code: "custom", message: "must be an id such as 12, S12 or P12" });
  return z.NEVER;
}

async function wholeRecords(
  worker: RecallWorker,
  names: readonly RecordName[],
  only: string | undefined,
): Promise<Whole[]> {
  const ids = names.flatMap(({ kind, id }) => (kind === "observation" ? [id] : []));
  const observations = ids.length === 0 ? [] : await worker.observationsOf(ids, only);
  const others = [...new Set(names.filter(({ kind }) => kind !== "observation").map(recordName))];
  const read = await Promise.all(others.map((name) => wholeOther(worker, name, only)));
  return [...observations.map(wholeObservation), ...read.filter((record) => record !== undefined)];
}

async function wholeOther(
  worker: RecallWorker,
  name: string,
  only: string | undefined,
): Promise<Whole | undefined> {
  const { kind, id } = parseRecordName(name) ?? { kind: "prompt", id: 0 };
  try {
    // The worker compares: it knows former names of the project.
    const record = await (kind === "session" ? worker.summary(id, only) : worker.prompt(id, only));
    return "prompt_text" in record ? wholePrompt(record) : wholeSummary(parseLists(record));
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof MemError && error.code === "not_found";
}

// Claude Code refuses results of more than 25,000 tokens: this is about 10,000.
const maxAnswerChars = 40_000;

/** As many of the first records as fit into an answer, at least one. */
function withinBudget(records: readonly Whole[]): Whole[] {
  let chars = 0;
  const end = records.findIndex((record, index) => {
    chars += JSON.stringify(record).length;
    return index > 0 && chars > maxAnswerChars;
  });
  return records.slice(0, end === -1 ? records.length : end);
}

// Explains an empty result by an unknown project, with the known ones.
async function projectNotes(
  worker: RecallWorker,
  found: number,
  project: string | undefined,
): Promise<string[]> {
  const unknown = found > 0 || project === undefined ? null : noSuchProject(project, await worker.projects());
  return unknown === null ? [] : [unknown];
}

function noneOf(missing: readonly string[], only: string | undefined, notes: readonly string[]): MemError {
  return new MemError("not_found", {
    message: `Not found: ${missing.join(", ")}${only === undefined ? "" : ` in the project ${only}`}.`,
    hint: [...notes, "Ids come from the tools search, timeline and recent."].join(" "),
  });
}

async function nothingFound(
  worker: RecallWorker,
  { query, ...filters }: object & { query?: string | undefined },
) {
  if ((await worker.projects()).length === 0) return "The memory is empty.";
  const isFiltered = Object.keys(defined(filters)).some((name) => name !== "limit" && name !== "offset");
  if (isFiltered) return "Nothing found. Try fewer filters.";
  return query === undefined
    ? "Nothing found."
    : "Nothing found. Try other words, or `recent` for the newest records.";
}

function linesOr(lines: readonly string[], nothing: string): readonly string[] {
  return lines.length === 0 ? [nothing] : lines;
}

// Drops undefined values.
function defined<T extends object>(given: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
