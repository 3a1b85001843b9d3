// Moves records that are older than their project's policy into the trash, once a day.
import { type Clock, dayMs, hourMs, minuteMs } from "../core/clock.ts";
import { failOpen } from "../core/errors.ts";
import { type AgeLimit, daysOf, type RetentionPolicy } from "../core/records/retention.ts";
import type { RetentionPorts } from "../http/api/retention.ts";
import type { RetentionState } from "../http/schemas/retention.ts";
import type { Store } from "../store/sqlite/store.ts";
import type { Forget } from "./forget.ts";

interface RetentionDeps {
  store: Pick<Store, "commit" | "retention" | "forgets">;
  clock: Clock;
  forget: Pick<Forget, "planByAge" | "retain">;
  /** Resolves when intake is idle enough. */
  idle(): Promise<void>;
}

export interface Retention {
  ports: RetentionPorts;
  start(): void;
  /** Runs if a run is due; resolves when it has ended. */
  whenDue(): Promise<void>;
  /** Resolves when the run that runs, if any, has ended. */
  stop(): Promise<void>;
}

// A machine that was off for two days is common; longer, the clock may be wrong.
const longestGapMs = 2 * dayMs;
// A wrong clock that is believed removes records at most so much too early.
const longestRestMs = 31 * dayMs;

export function createRetention(deps: RetentionDeps): Retention {
  const { store, clock } = deps;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<unknown> = Promise.resolve();
  let isStopped = false;

  async function whenDue(): Promise<void> {
    await noteClock(deps);
    if (isStopped || !isDue(deps)) return;
    const ages = agesOf(deps, store.retention.policy());
    if (ages.length === 0) return;
    await deps.idle();
    if (isStopped || !(await deps.forget.retain(ages))) return;
    await store.commit(() => store.retention.ran(clock.now()));
  }

  return {
    whenDue,
    ports: {
      state: () => stateOf(deps),
      plan: async (change) => deps.forget.planByAge(agesOf(deps, changed(store.retention.policy(), change))),
      async set({ project, days }) {
        const now = clock.now();
        await store.commit(() => {
          if (project === undefined) store.retention.setGeneral(days);
          else store.retention.setProject(project, days);
          // The user has seen what goes: the next run need not wait.
          store.retention.setClock(now, 0);
          store.retention.ran(null);
        });
        return stateOf(deps);
      },
    },
    start() {
      const round = () => {
        running = running.then(() => failOpen("applying the retention policy", whenDue));
      };
      timer = setInterval(round, minuteMs);
      timer.unref();
    },
    async stop() {
      isStopped = true;
      clearInterval(timer);
      await running;
    },
  };
}

/** Notes the time once an hour, and since when the clock runs without a jump. */
async function noteClock({ store, clock }: RetentionDeps): Promise<void> {
  const now = clock.now();
  const { clock_epoch, steady_since_epoch } = store.retention.times();
  const gapMs = now - clock_epoch;
  if (Math.abs(gapMs) < hourMs) return;
  // A machine that is used for some hours a week: the clock went on since the jump that began the wait.
  const isWaiting = steady_since_epoch + dayMs > clock_epoch;
  const isJump = gapMs < 0 || gapMs > (isWaiting ? longestRestMs : longestGapMs);
  await store.commit(() => store.retention.setClock(now, isJump ? now : steady_since_epoch));
}

/** When the clock jumped: no run before this time, so that a wrong clock deletes nothing until it is corrected. */
function waitsUntil({ store, clock }: RetentionDeps): number | null {
  const until = store.retention.times().steady_since_epoch + dayMs;
  return until > clock.now() ? until : null;
}

function isDue(deps: RetentionDeps): boolean {
  const { last_run_epoch: last } = deps.store.retention.times();
  const isNew = last === null || Math.abs(deps.clock.now() - last) >= dayMs;
  return isNew && waitsUntil(deps) === null;
}

function agesOf({ store, clock }: RetentionDeps, policy: RetentionPolicy): AgeLimit[] {
  const now = clock.now();
  const isOff = policy.days === null && policy.projects.every(({ days }) => days === 0);
  if (isOff) return [];
  const byDays = new Map<number, string[]>();
  for (const project of store.retention.labels()) {
    const days = daysOf(policy, project);
    if (days !== null) byDays.set(days, [...(byDays.get(days) ?? []), project]);
  }
  return [...byDays].map(([days, projects]) => ({ projects, before: now - days * dayMs }));
}

function changed(policy: RetentionPolicy, change: { project?: string | undefined; days: number | null }) {
  const { project, days } = change;
  if (project === undefined) return { ...policy, days };
  const others = policy.projects.filter((one) => one.project !== project);
  return { ...policy, projects: days === null ? others : [...others, { project, days }] };
}

async function stateOf(deps: RetentionDeps): Promise<RetentionState> {
  const { store, forget } = deps;
  const policy = store.retention.policy();
  const { last_run_epoch } = store.retention.times();
  const { counts, samples } = await forget.planByAge(agesOf(deps, policy));
  const last = store.forgets.newestOf("retention");
  return {
    ...policy,
    last_run_epoch,
    waits_until_epoch: waitsUntil(deps),
    would_remove: counts,
    samples,
    last_removed: last === undefined ? null : { at_epoch: last.at_epoch, counts: last.counts },
  };
}
