// Reads a page of a list from the worker.
import type { SearchParameters } from "../../client/parameters.ts";
import type { WorkerClient } from "../../client/worker-client.ts";
import { workingPlace } from "../../core/directory.ts";
import { recordName } from "../../core/records/record-name.ts";
import { terminalLine } from "../../text/terminal-text.ts";
import { parseWhen } from "../when.ts";
import type { Place } from "./row-window.ts";
import {
  itemRow,
  messageRow,
  observationRow,
  type Row,
  ruleRow,
  searchRows,
  sessionRecordRow,
  sessionRow,
  trashRow,
} from "./rows.ts";
import type { Filters, PageAnswer, Source } from "./state.ts";

type Routes = ReturnType<WorkerClient["under"]>;

const pageSize = 100;
// The first page of a search is what is asked for with every key.
const hitsPerPage = 40;
// A timeline is one page: that many records before its anchor, and as many after it.
const timelineDepth = 50;

/** The page of `source` that begins at `place`. */
export async function readPage(
  worker: Routes,
  source: Source,
  place: Place | null,
  nowEpochMs: number,
): Promise<PageAnswer> {
  const offset = place !== null && "offset" in place ? place.offset : 0;
  switch (source.is) {
    case "search":
      return readHits(worker, source, offset, nowEpochMs);
    case "feed": {
      const before = place !== null && "before" in place ? place : {};
      const { items, hasMore } = await worker.feed({
        ...before,
        limit: pageSize,
        ...inProject(source),
        ...workingPlace(),
      });
      const rows = items.map(itemRow);
      const last = rows.at(-1);
      const next = hasMore && last !== undefined ? { before: last.name, before_epoch: last.at } : null;
      return { rows, next, notes: [] };
    }
    case "sessions":
      return paged(await worker.sessions({ offset, limit: pageSize, ...inProject(source) }), sessionRow);
    case "session":
      return paged(await worker.sessionRecords(source.id, { offset, limit: pageSize }), sessionRecordRow);
    case "rules":
      return readRules(worker, source.project);
    case "timeline":
      return readTimeline(worker, source.anchor);
    case "queue":
      return paged(await worker.queue({ offset, limit: pageSize }), messageRow);
    case "trash":
      return paged(await worker.trash({ offset, limit: pageSize, ...inProject(source) }), (entry) =>
        trashRow(entry, nowEpochMs),
      );
    case "replacement":
      return readReplacements(worker, source, offset);
    default:
      return source satisfies never;
  }
}

function inProject({ project }: { project: string | null }): { project?: string } {
  return project === null ? {} : { project };
}

interface Listed<T> {
  items: readonly T[];
  hasMore: boolean;
  offset: number;
}

function paged<T>({ items, hasMore, offset }: Listed<T>, row: (item: T) => Row): PageAnswer {
  return { rows: items.map(row), next: hasMore ? { offset: offset + items.length } : null, notes: [] };
}

async function readHits(
  worker: Routes,
  { words, filters }: Extract<Source, { is: "search" }>,
  offset: number,
  nowEpochMs: number,
): Promise<PageAnswer> {
  const answer = await worker.search({
    ...filterParameters(filters, nowEpochMs),
    ...workingPlace(),
    ...(words.trim() === "" ? {} : { query: words }),
    limit: hitsPerPage,
    offset,
    together: "true",
  });
  const rows = searchRows(answer);
  return {
    rows,
    next: rows.length >= hitsPerPage ? { offset: offset + hitsPerPage } : null,
    notes: answer.notes.map(terminalLine),
  };
}

/** Active observations other than the one to replace; the one that the words name by its number is the first. */
async function readReplacements(
  worker: Routes,
  { row, words, project }: Extract<Source, { is: "replacement" }>,
  offset: number,
): Promise<PageAnswer> {
  const [, number] = /^\s*#?([1-9]\d{0,14})\s*$/.exec(words) ?? [];
  const named = number === undefined || offset > 0 ? [] : await worker.observationsOf([Number(number)]);
  const { observations, notes } = await worker.search({
    ...inProject({ project }),
    ...workingPlace(),
    ...(words.trim() === "" ? {} : { query: words }),
    type: "observations",
    limit: hitsPerPage,
    offset,
  });
  const found = observations.map((each) => observationRow(each));
  const first = named.map((each) => observationRow(each));
  const others = found.filter(({ id }) => first.every((each) => each.id !== id));
  return {
    rows: [...first, ...others].filter(({ id, status }) => id !== row.id && status === "active"),
    next: observations.length >= hitsPerPage ? { offset: offset + hitsPerPage } : null,
    notes: notes.map(terminalLine),
  };
}

function filterParameters({ project, kind, type, since }: Filters, nowEpochMs: number): SearchParameters {
  return {
    ...(project !== null && { project }),
    ...(kind !== null && { type: kind }),
    ...(type !== null && { obs_type: type }),
    ...(since !== null && { dateStart: parseWhen(since, "start", nowEpochMs) }),
  };
}

async function readRules(worker: Routes, project: string | null): Promise<PageAnswer> {
  const { rules, proposals, contradictions } = await worker.rules(
    project === null ? { all: true, limit: 1_000 } : { project, limit: 1_000 },
  );
  const pairs = contradictions.map(({ older, newer }) => `#${older} and #${newer}`).join(", ");
  const notes = pairs === "" ? [] : [`Rules that contradict each other: ${pairs}. Replace one: s.`];
  return { rows: [...rules, ...proposals].map(ruleRow), next: null, notes };
}

async function readTimeline(
  worker: Routes,
  { kind, id }: Extract<Source, { is: "timeline" }>["anchor"],
): Promise<PageAnswer> {
  const anchor = recordName({ kind: kind === "summary" ? "session" : kind, id });
  const around = { anchor, depth_before: timelineDepth, depth_after: timelineDepth };
  const items = await worker.timeline({ ...around, ...workingPlace() });
  return { rows: items.map(itemRow), next: null, notes: [] };
}
