// What the viewer's pages show beside the records, over the store.
import type { Context } from "../context/context.ts";
import { openHeading } from "../context/start-sections.ts";
import { type Clock, dayMs } from "../core/clock.ts";
import { localDays } from "../core/local-days.ts";
import { wholeText } from "../core/records/quoted-text.ts";
import type { Session } from "../core/records/records.ts";
import type { ViewPorts } from "../http/api/views.ts";
import type { OpenWorkAnswer } from "../http/schemas/views.ts";
import { timelineItem, withMarks } from "../recall/timeline.ts";
import type { SessionRecord } from "../store/sqlite/session-records.ts";
import type { Store } from "../store/sqlite/store.ts";
import type { WorkerBranches } from "./branches.ts";
import type { FileStates } from "./freshness.ts";
import { detailsOf } from "./record-details.ts";

export interface ViewDeps {
  store: Store;
  clock: Clock;
  context: Pick<Context, "forSession">;
  fileStates: FileStates;
  unmerged?: WorkerBranches["unmerged"];
}

export function createViews({ store, clock, ...deps }: ViewDeps): ViewPorts {
  const { sessions, injections, sessionRecords } = store;

  /** Undefined without such a session. */
  function ofSession<T>(id: number, read: (session: Session) => T): T | undefined {
    const session = sessions.byId(id);
    return session && read(session);
  }

  return {
    feed({ before, limit, project = null, cwd = null }) {
      const { at, ...anchor } = before ?? { at: endOfTime };
      const window = { at, anchor: "kind" in anchor ? anchor : null, project };
      const rows = store.timeline.before({ ...window, limit: limit + 1 }).reverse();
      const items = rows.slice(0, limit).map(timelineItem);
      return { items: withMarks(deps, items, cwd), hasMore: rows.length > limit };
    },
    injections: (sessionId, page) =>
      ofSession(sessionId, ({ id, claude_session_id, project }) => ({
        session: { id, claude_session_id, project },
        ...injections.ofSession(claude_session_id, page),
        ...page,
        ...(page.offset === 0 ? { totals: injections.totalsOf(claude_session_id) } : {}),
      })),
    records: (sessionId, { offset, limit }) =>
      ofSession(sessionId, ({ id: session, sdk_session_id: sdk }) => ({
        ...withBranches(sessionRecords({ session, sdk, offset, limit }), deps.unmerged),
        offset,
        limit,
      })),
    activity({ days, project = null }) {
      const now = clock.now();
      // A day of 23 hours must not add a day.
      const last = localDays(now - (days + 1) * dayMs, now + 1).slice(-days);
      return { days: store.activity(last, project) };
    },
    details: (id) => detailsOf({ store, ...deps }, id),
    async openWork(project) {
      const labels = project === undefined ? store.projects.labels().slice(0, maxProjects) : [project];
      const starts = await Promise.all(labels.map((label) => deps.context.forSession({ project: label })));
      const ids = starts.flatMap(({ places = [] }) =>
        places.flatMap(({ record, section }) => (section === openHeading ? [record.id] : [])),
      );
      const others = deps.unmerged?.("observation", ids, { project: null, cwd: null });
      return {
        items: [...new Set(ids)]
          .flatMap((id) => openItem(store, id))
          .map((item) => ({
            ...item,
            ...(others?.has(item.id) ? { branch: others.get(item.id), merged: false } : {}),
          })),
      };
    },
  };
}

type SessionPage = ReturnType<Store["sessionRecords"]>;

/** The page, its records of a branch that is not merged marked with `merged: false`. */
function withBranches(page: SessionPage, unmerged: ViewDeps["unmerged"]): SessionPage {
  const idsOf = (kind: SessionRecord["kind"]) =>
    page.items.flatMap((one) => (one.kind === kind ? one.record.id : []));
  const at = { project: null, cwd: null };
  const others = {
    prompt: unmerged?.("prompt", idsOf("prompt"), at),
    observation: unmerged?.("observation", idsOf("observation"), at),
    summary: unmerged?.("session", idsOf("summary"), at),
  };
  const items = page.items.map((one) =>
    others[one.kind]?.has(one.record.id)
      ? ({ ...one, record: { ...one.record, merged: false } } as SessionRecord)
      : one,
  );
  return { ...page, items };
}

function openItem({ observations, sessions }: Store, id: number): OpenWorkAnswer["items"] {
  const found = observations.byId(id);
  if (found === undefined) return [];
  const { sdk_session_id, project, created_at_epoch } = found;
  const session_id = sessions.bySdkId(sdk_session_id)?.id ?? null;
  return [{ id, session_id, project, text: wholeText(found), created_at_epoch }];
}

const endOfTime = Number.MAX_SAFE_INTEGER;
const maxProjects = 8;
