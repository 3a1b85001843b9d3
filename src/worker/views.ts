// What the viewer's pages show beside the records, over the store.
import type { Clock } from "../core/clock.ts";
import { localDays } from "../core/local-days.ts";
import type { Session } from "../core/records/records.ts";
import type { ViewPorts } from "../http/api/views.ts";
import type { Store } from "../store/sqlite/store.ts";

/** Reads only. */
export function createViews({ store, clock }: { store: Store; clock: Clock }): ViewPorts {
  const { sessions, injections, sessionRecords } = store;

  /** Undefined without such a session. */
  function ofSession<T>(id: number, read: (session: Session) => T): T | undefined {
    const session = sessions.byId(id);
    return session && read(session);
  }

  return {
    injections: (sessionId) =>
      ofSession(sessionId, ({ id, claude_session_id, project }) => ({
        session: { id, claude_session_id, project },
        injections: injections.ofSession(claude_session_id, maxInjections),
        total_tokens: injections.tokensOf(claude_session_id),
      })),
    records: (sessionId, { offset, limit }) =>
      ofSession(sessionId, ({ id: session, sdk_session_id: sdk }) => ({
        ...sessionRecords({ session, sdk, offset, limit }),
        offset,
        limit,
      })),
    activity({ days, project = null }) {
      const now = clock.now();
      // A day of 23 hours must not add a day.
      const last = localDays(now - (days + 1) * dayMs, now + 1).slice(-days);
      return { days: store.activity(last, project) };
    },
  };
}

const maxInjections = 1_000;
const dayMs = 24 * 3_600_000;
