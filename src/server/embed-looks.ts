// Where there is something to embed: new records are looked for every few seconds, everything is walked through hourly.
import type { Clock } from "../core/clock.ts";
import type { EmbedderIdentity } from "../recall/embed/embedder.ts";
import type { Queryable } from "../store/postgres/open.ts";
import { abandonedClaims, projectsWithNew, projectsWithRecords } from "../store/postgres/unembedded.ts";
import { type EmbedTurns, newest } from "./embed-turns.ts";

export interface EmbedLooks {
  /** Puts what it finds among the turns, when it is time to. */
  whenDue(): Promise<void>;
  /** Until it is time again. */
  restMs(): number;
  /** The next look is at everything. */
  wholeNext(): void;
}

interface LookDeps {
  system: Queryable;
  identity: EmbedderIdentity;
  turns: EmbedTurns;
  clock: Clock;
  /** How often new records are looked for. */
  lookEveryMs?: number | undefined;
}

// Everything is walked through now and then: texts that were refused, another dimension, what was committed late.
const wholeEveryMs = 60 * 60_000;
// The numbers of records are taken before they are committed: who looks for new ones looks again at so many.
const overlap = 2_000;
const newAtOnce = 10_000;

export function createEmbedLooks(deps: LookDeps): EmbedLooks {
  const { system, identity, turns, clock, lookEveryMs = 2_000 } = deps;
  let seen = 0;
  let looksAt = 0;
  let wholeAt = 0;

  async function lookAtAll(): Promise<void> {
    const { projects, last } = await projectsWithRecords(system);
    turns.clear();
    for (const project of projects) turns.put({ ...project, before: newest, after: 0, isWhole: true });
    seen = last;
  }

  async function lookForNew(): Promise<void> {
    const after = Math.max(0, seen - overlap);
    const found = await projectsWithNew(system, { ...identity, after, window: newAtOnce });
    turns.addNew(found.projects, after);
    for (const abandoned of await abandonedClaims(system, identity)) turns.putOnce(abandoned);
    seen = Math.max(seen, found.last);
  }

  return {
    async whenDue() {
      const now = clock.monotonicMs();
      if (now < looksAt) return;
      looksAt = now + lookEveryMs;
      if (now < wholeAt) return lookForNew();
      await lookAtAll();
      wholeAt = now + wholeEveryMs;
    },
    restMs: () => Math.max(0, looksAt - clock.monotonicMs()),
    wholeNext() {
      wholeAt = 0;
    },
  };
}
