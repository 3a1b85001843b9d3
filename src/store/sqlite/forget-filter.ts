// Selects the records that a filter means, by project, session and age, in steps of ranges of ids.
import { type ForgetSelection, noSelection } from "../../core/records/forget.ts";
import type { Sqlite } from "./open.ts";
import { createSql, listOf } from "./sql.ts";

/** Null for any. */
export interface ForgetFilter {
  project: string | null;
  /** Id of the session. */
  session: number | null;
  before: number | null;
  /** Spares rules, pinned observations, and sessions with one of them. */
  spareKept: boolean;
  /** Only of these projects. */
  projects?: readonly string[];
  /** Also events of sessions that stay. */
  events?: boolean;
}

export type FilterRow = Record<"project" | "projects", string | null> &
  Record<"session" | "before", number | null> & { spare: 0 | 1 };

export function rowOf({ project, projects, session, before, spareKept }: ForgetFilter): FilterRow {
  const list = projects === undefined ? null : listOf(projects);
  return { project, projects: list, session, before, spare: spareKept ? 1 : 0 };
}

const notKept = "(@spare = 0 or (r.standing = 0 and r.pinned = 0))";

/** A rule for every project belongs to none, wherever it was said. */
export const ofNoProject = "standing = 1 and reach = 'everywhere'";

/** True for a session `r` with observations that stay when its project goes. */
export const isShared = `exists (
           select 1
           from observations o
           where o.sdk_session_id = r.sdk_session_id and (o.project <> r.project or (${ofNoProject})))`;

interface FilteredRow {
  id: number;
  sdk: string | null;
}

/** Ids of one table that a filter selects, in ranges of ids. */
interface FilterScan {
  of: "sessions" | "observations" | "summaries" | "prompts" | "events";
  largest(): number;
  step(filter: ForgetFilter, after: number): FilteredRow[];
  range: number;
}

// A few milliseconds each. Records have long texts before the columns that are compared.
const idsPerStep = 2_000;

/** What a filter selects. Yields after every step; the sessions come first, and rows of these are left out. */
export function createByFilter(db: Sqlite): (filter: ForgetFilter) => Generator<undefined, ForgetSelection> {
  const scans = createFilterScans(db);
  return function* (filter) {
    const selection = noSelection();
    const sessions = new Set<string>();
    for (const { of, largest, step, range } of scans) {
      if (of === "events" && !filter.events) continue;
      const last = largest();
      for (let after = 0; after < last; after += range) {
        for (const { id, sdk } of step(filter, after)) {
          if (of === "sessions") sessions.add(String(sdk));
          else if (sdk !== null && sessions.has(sdk)) continue;
          selection[of].push(id);
        }
        yield undefined;
      }
    }
    return selection;
  };
}

function createFilterScans(db: Sqlite): FilterScan[] {
  const sql = createSql(db);
  const scan = (of: FilterScan["of"], table: string, where: string, range = idsPerStep): FilterScan => {
    const largest = sql.value<[], number | null>(`select max(id) from ${table}`);
    const rows = sql.all<[FilterRow & { after: number; last: number }], FilteredRow>(
      `${where}
       order by r.id`,
    );
    return {
      ...{ of, range },
      largest: () => largest() ?? 0,
      step: (filter, after) => rows({ ...rowOf(filter), after, last: after + range }),
    };
  };
  const ofProjects = (table: string) =>
    `(@project is null or ${table}.project = @project)
         and (@projects is null or ${table}.project in (select value from json_each(@projects)))`;
  const within = `r.id > @after and r.id <= @last and ${ofProjects("r")}`;
  const others = (of: FilterScan["of"], table: string, where: string) =>
    scan(
      of,
      table,
      `select r.id, r.sdk_session_id as sdk
       from ${table} r
       where ${within}
         and (@session is null or r.sdk_session_id = (select sdk_session_id from sessions where id = @session))
         and (@before is null or r.created_at_epoch < @before)
         and ${where}`,
    );
  return [
    scan(
      "sessions",
      "sessions",
      `select r.id, r.sdk_session_id as sdk
       from sessions r
       where ${within}
         and (@session is null or r.id = @session)
         and (@before is null or r.last_active_at_epoch < @before)
         and (@spare = 0 or not exists (
           select 1
           from observations o
           where o.sdk_session_id = r.sdk_session_id and (o.standing = 1 or o.pinned = 1)))
         and (@project is null or not ${isShared})`,
      sessionsPerStep,
    ),
    others("observations", "observations", `${notKept} and (@project is null or not (${ofNoProject}))`),
    others("summaries", "session_summaries", "@spare is not null"),
    others("prompts", "user_prompts", "@spare is not null and r.private = 0"),
    scan(
      "events",
      "raw_events",
      `select r.id, s.sdk_session_id as sdk
       from raw_events r
       cross join sessions s on s.id = r.session_id
       where r.id > @after and r.id <= @last and ${ofProjects("s")}
         and (@session is null or s.id = @session)
         and (@before is null or coalesce(r.imported_at_epoch, r.created_at_epoch) < @before)
         and @spare is not null and ${hasContent}`,
      eventsPerStep,
    ),
  ];
}

export const sessionsPerStep = 50;
// Their payloads, up to 64 kB each, are parsed.
const eventsPerStep = 50;

// As `emptiedEvent` leaves them.
const hasContent = `exists (
           select 1
           from json_each(iif(json_valid(r.payload), r.payload, '{"other":1}'))
           where key not in ('prompt_key', 'type', 'prompt_number'))`;
