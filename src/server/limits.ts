// Rate limit, quotas and metering, on their own connections so that they never wait for requests.
import { type Clock, isoTime } from "../core/clock.ts";
import { failOpen } from "../core/errors.ts";
import { newId } from "../core/ids.ts";
import type { Log } from "../core/log.ts";
import type { Guard } from "../http/v1/authentication.ts";
import { createGuards } from "../http/v1/guards.ts";
import type { UsagePorts } from "../http/v1/team.ts";
import type { ServerSettings } from "../settings/server.ts";
import { admitRequests, recordRequests, usageThisMonth } from "../store/postgres/limits.ts";
import type { Database } from "../store/postgres/open.ts";
import { inTenant } from "../store/postgres/tenant.ts";
import { type Admission, createAdmission } from "../tenancy/limits/admission.ts";
import { createMeter, type Meter } from "../tenancy/limits/metering.ts";

export interface ServerLimits {
  guards: readonly Guard[];
  usage: UsagePorts;
  /** Null where nothing is limited or metered. */
  admission: Pick<Admission, "skipped"> | null;
  meter: Pick<Meter, "lost"> | null;
  /** Opens the connection, so that the first requests need not wait. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

interface LimitDeps {
  database: Pick<Database, "app" | "guards">;
  settings: ServerSettings;
  log: Log;
  clock: Clock;
}

export function createLimits({ database, settings, log, clock }: LimitDeps): ServerLimits {
  const limits = {
    perMinute: settings.get("MEM_RATE_LIMIT_PER_MIN"),
    monthlyRequests: settings.get("MEM_MONTHLY_REQUEST_CAP"),
    monthlyTokens: settings.get("MEM_MONTHLY_TOKEN_CAP"),
  };
  const nextMonth = (): string => isoTime(startOfNextMonth(clock.now()));
  const admission = Object.values(limits).every((limit) => limit === 0)
    ? null
    : createAdmission({
        limits,
        clock,
        count: (query) => admitRequests(database.guards, query),
        onChange(state, cause) {
          if (state === "failing")
            log.warn({ err: cause }, "the limits' store fails: requests pass uncounted");
          else log.info("the limits' store answers again");
        },
      });
  // With a cap the request has been counted in the month's total by the statement that let it through.
  const countTotals = limits.monthlyRequests === 0;
  const meter = settings.get("MEM_USAGE_METERING")
    ? createMeter({ record: (calls) => recordRequests(database.guards, calls, countTotals) })
    : null;
  return {
    guards: createGuards({ admission, meter, nextMonth }),
    admission,
    meter,
    usage: {
      async thisMonth({ team_id }) {
        const { since_epoch, totals } = await inTenant(
          database.app,
          { team_id, project_id: null },
          (connection) => usageThisMonth(connection, team_id),
        );
        return {
          since: isoTime(since_epoch),
          resetsAt: nextMonth(),
          usage: totals,
          caps: {
            monthlyRequests: limits.monthlyRequests || null,
            monthlyTokens: limits.monthlyTokens || null,
          },
        };
      },
    },
    async ready() {
      if (admission === null) return;
      await failOpen("asking the limits' store for the first time", () =>
        admitRequests(database.guards, { team_id: newId(), keys: [], per_minute: 0, month_cap: 0 }),
      );
    },
    async close() {
      await meter?.close();
    },
  };
}

function startOfNextMonth(now: number): number {
  const [year = 0, month = 0] = isoTime(now).slice(0, 7).split("-").map(Number);
  return Date.UTC(year, month, 1);
}
