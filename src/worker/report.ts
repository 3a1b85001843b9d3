// `mem report` on the database itself: what was injected, and what its sessions did afterwards.
import { MemError } from "../core/errors.ts";
import { parseRecordName } from "../core/records/record-name.ts";
import { parseList } from "../core/records/records.ts";
import {
  fetchedItem,
  type ShownKind,
  shownKinds,
  type UsageReport,
  type Uses,
} from "../core/records/usage-report.ts";
import { readRuns } from "../statements/commands/runs.ts";
import { currentLabel, openReadOnly } from "../store/sqlite/read-only.ts";
import {
  createUsageRows,
  type ReportFilter,
  type ShownRecord,
  type UsageRows,
} from "../store/sqlite/usage-report.ts";

export interface ReportRequest {
  database: string;
  project?: string | undefined;
  since: number;
  now: number;
  signal: AbortSignal;
}

/** Throws what `openReadOnly` throws, and `cancelled` when the signal aborts. */
export async function reportUse(request: ReportRequest): Promise<UsageReport> {
  const db = openReadOnly(request.database);
  try {
    const { project, since, now, signal } = request;
    const filter = { since, project: project === undefined ? null : currentLabel(db, project) };
    const rows = createUsageRows(db);
    const shown = await withUses(rows, rows.shown(filter), signal);
    const moments = rows.moments(filter);
    const places = rows.projects(filter);
    return {
      since_epoch: since,
      until_epoch: now,
      project: filter.project,
      sessions: places.reduce((sum, { sessions }) => sum + sessions, 0),
      injections: moments.reduce((sum, { injections }) => sum + injections, 0),
      tokens: moments.reduce((sum, { tokens }) => sum + tokens, 0),
      moments,
      total: sumOf(shown),
      kinds: shownKinds.flatMap((kind) => {
        const of = shown.filter((each) => each.kind === kind);
        return of.length === 0 ? [] : [{ kind, ...sumOf(of) }];
      }),
      projects: places.map(({ project: label, ...sums }) => ({
        project: label ?? "",
        ...sums,
        ...sumOf(shown.filter((each) => each.project === label)),
      })),
      not_shown: notShown(rows, shown, filter),
    };
  } finally {
    db.close();
  }
}

/** A shown record and its uses, each 0 or 1. */
interface UsedRecord extends ShownRecord, Uses {
  kind: ShownKind;
  files: readonly string[];
}

type Description = Pick<UsedRecord, "kind" | "files"> & { families: readonly string[]; created: number };

async function withUses(
  rows: UsageRows,
  shown: readonly ShownRecord[],
  signal: AbortSignal,
): Promise<UsedRecord[]> {
  const described = new Map<string, Description>();
  const describe = (name: string): Description => {
    const known = described.get(name) ?? descriptionOf(rows, name);
    described.set(name, known);
    return known;
  };
  const used: UsedRecord[] = [];
  for (const ofSession of bySession(shown)) {
    await pause(signal);
    used.push(...usesIn(rows, ofSession, describe));
  }
  return used;
}

/** Lets Ctrl-C in. */
async function pause(signal: AbortSignal): Promise<void> {
  await new Promise(setImmediate);
  if (signal.aborted) throw new MemError("cancelled", { message: "Stopped." });
}

function* bySession(shown: readonly ShownRecord[]): Generator<ShownRecord[]> {
  let group: ShownRecord[] = [];
  for (const each of shown) {
    if (group[0] !== undefined && group[0].session !== each.session) {
      yield group;
      group = [];
    }
    group.push(each);
  }
  if (group.length > 0) yield group;
}

function descriptionOf(rows: UsageRows, name: string): Description {
  const record = parseRecordName(name);
  const nothing = { files: [], families: [], created: 0 };
  if (record?.kind === "session") {
    const files = rows.filesOfSummary(record.id);
    return files === undefined
      ? { kind: "gone", ...nothing }
      : { ...nothing, kind: "summary", files: parseList(files) };
  }
  if (record?.kind === "prompt")
    return { kind: rows.hasPrompt(record.id) === undefined ? "gone" : "prompt", ...nothing };
  const found = record && rows.observation(record.id);
  if (record === undefined || found === undefined) return { kind: "gone", ...nothing };
  const families = rows.familiesOf(record.id);
  const { standing, said_by, obs_type, created_at_epoch: created } = found;
  const ofCommand = obs_type === "bugfix" ? "fix" : "failure";
  const said = said_by === null ? "work" : "statement";
  const kind = standing === 1 ? "rule" : families.length > 0 ? ofCommand : said;
  return { kind, families, files: rows.filesOf(record.id), created };
}

interface TimedRun {
  at: number;
  families: ReadonlySet<string>;
  failed: boolean;
}

function usesIn(
  rows: UsageRows,
  shown: readonly ShownRecord[],
  describe: (name: string) => Description,
): UsedRecord[] {
  const [{ session, session_id } = { session: "", session_id: null }] = shown;
  const touched = session_id === null ? new Map<string, number>() : rows.touched(session_id);
  const items = rows.items(session);
  const needsRuns = session_id !== null && shown.some(({ name }) => describe(name).families.length > 0);
  const runs = needsRuns ? runsOf(rows, session_id) : [];
  return shown.map((each) => {
    const { kind, files, families } = describe(each.name);
    const others = files.filter((path) => !isCause(each, path));
    const isTouched = others.some((path) => (touched.get(path) ?? 0) > each.at);
    const after = runs.filter(
      (run) => run.at > each.at && families.some((family) => run.families.has(family)),
    );
    const hasFailed = after.some(({ failed }) => failed);
    const hasPassed = after.length > 0 && !hasFailed;
    const isFetched = (items.get(fetchedItem(each.name)) ?? 0) > each.at;
    return {
      ...{ ...each, kind, files, shown: 1 },
      files_touched: Number(isTouched),
      commands_passed: Number(hasPassed),
      commands_failed: Number(hasFailed),
      fetched: Number(isFetched),
      used: Number(isTouched || hasPassed || isFetched),
    };
  });
}

// The file that a record was shown for is touched next whether or not the record helps.
function isCause({ moment, cause }: ShownRecord, path: string): boolean {
  if (moment !== "file" || cause === null) return false;
  return cause === path || cause.endsWith(`/${path}`) || path.endsWith(`/${cause}`);
}

/** Commands whose outcome is known. */
function runsOf(rows: UsageRows, session: number): TimedRun[] {
  const uses = rows.toolUses(session);
  const times = new Map(uses.map(({ id, at }) => [id, at]));
  return readRuns(uses).runs.flatMap(({ id, parts, outcome }) =>
    outcome === "unknown"
      ? []
      : [
          {
            at: times.get(id) ?? 0,
            families: new Set(parts.flatMap(({ families }) => families)),
            failed: outcome === "failed",
          },
        ],
  );
}

const useNames = [
  "shown",
  "files_touched",
  "commands_passed",
  "commands_failed",
  "fetched",
  "used",
] as const satisfies readonly (keyof Uses)[];

function sumOf(records: readonly Uses[]): Uses {
  const sums = { shown: 0, files_touched: 0, commands_passed: 0, commands_failed: 0, fetched: 0, used: 0 };
  for (const record of records) for (const name of useNames) sums[name] += record[name];
  return sums;
}

// Newest sessions of a project that a record is compared with.
const comparedSessions = 100;

/** Of records with files: other sessions of their project that began after them, and touched a file of theirs. */
function notShown(
  rows: UsageRows,
  shown: readonly UsedRecord[],
  { since }: ReportFilter,
): UsageReport["not_shown"] {
  const result = { pairs: 0, files_touched: 0 };
  const projects = new Set(shown.flatMap(({ project }) => (project === null ? [] : [project])));
  for (const project of projects) {
    const sessions = rows
      .sessionsOf({ project, since, limit: comparedSessions })
      .map((session) => ({ ...session, touched: rows.touched(session.id) }));
    for (const { files, at, sessionIds } of recordsOf(shown, project)) {
      for (const { id, created, touched } of sessions) {
        if (sessionIds.has(id) || created < at) continue;
        result.pairs += 1;
        if (files.some((path) => touched.has(path))) result.files_touched += 1;
      }
    }
  }
  return result;
}

/** The project's records with files: since when they were shown, and to which sessions. */
function recordsOf(shown: readonly UsedRecord[], project: string) {
  const records = new Map<string, { files: readonly string[]; at: number; sessionIds: Set<number> }>();
  for (const each of shown) {
    if (each.project !== project || each.files.length === 0) continue;
    const known = records.get(each.name) ?? { files: each.files, at: each.at, sessionIds: new Set() };
    if (each.session_id !== null) known.sessionIds.add(each.session_id);
    records.set(each.name, { ...known, at: Math.min(known.at, each.at) });
  }
  return [...records.values()];
}
