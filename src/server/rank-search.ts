// The search of one project: candidates from the index, ranked as the local search ranks, then the records themselves.
import type { Clock } from "../clock.ts";
import type { HostedObservation } from "../domain/hosted-record.ts";
import { codeOf } from "../domain/record-terms.ts";
import type { Candidate, Standing } from "../domain/search.ts";
import type { ProjectScope } from "../domain/tenancy.ts";
import { fuse } from "../recall/fusion.ts";
import { askedTerms, wordParts } from "../recall/query.ts";
import { createQuestion } from "../recall/question.ts";
import { readTime } from "../recall/read-time.ts";
import {
  type ObservationFilter,
  observationsBySeq,
  observationsOfTime,
  recentObservations,
} from "../store/postgres/observations.ts";
import type { Queryable } from "../store/postgres/open.ts";
import {
  countRecords,
  type FoundCandidates,
  findCandidates,
  type IndexedRecord,
  readTerms,
  recordsContaining,
} from "../store/postgres/search.ts";
import type { Near, NearRecord } from "./meaning.ts";
import { createTermMemory, type TermMemory } from "./term-memory.ts";

export interface ProjectSearch {
  words: string;
  filter: ObservationFilter;
  limit: number;
  /** What is near the words in meaning; null or left out where that is not looked for. */
  near?: Near | null | undefined;
}

/**
 * A record of an answer; `score` is higher for the better, and left out where nothing was compared. `isNear`: by its
 * meaning alone, it holds none of the words.
 */
export type RankedObservation = HostedObservation & { score?: number; isNear?: true };

export interface SearchedProject {
  search(connection: Queryable, scope: ProjectScope, asked: ProjectSearch): Promise<RankedObservation[]>;
}

// More are found than are shown: the order of the index knows neither how often a word stands in a record nor where.
// On LoCoMo's turns R@10 is 75.7 with 60 or 80, and 76.3 with 120, at a third more time.
const candidateCount = 60;

/**
 * Searches inside the caller's transaction. How many records a project has is remembered for a minute, the words that
 * were compared for some.
 */
export function createProjectSearch(clock: Clock): SearchedProject {
  const populations = createPopulations(clock);
  const memory = createTermMemory({ clock });
  return {
    async search(connection, scope, { words: said, filter, limit, near: nearOf }) {
      const time = readTime(said, clock.now());
      if (time?.is === "all" && time.span !== null) {
        const ofThen = await observationsOfTime(connection, scope, { filter, limit, ...time.span });
        if (ofThen.length > 0) return ofThen;
      }
      if (time?.is === "all") return recentObservations(connection, scope, { filter, limit });
      const words = time?.words ?? said;
      const asked = askedTerms(words);
      // Nothing but words that say nothing: the newest are as good an answer as any.
      if (asked.length === 0) return recentObservations(connection, scope, { filter, limit });
      const population = await populations.of(connection, scope);
      const found = await findCandidates(connection, scope, {
        codes: asked.map(({ term }) => codeOf(term)),
        population,
        filter,
        most: Math.max(candidateCount, limit),
      });
      const near = nearOf ? await nearOf(connection, scope, filter) : [];
      const candidates = await candidatesOf(connection, scope, found, memory);
      const ranked = ranking(words, population, { ...found, candidates, near });
      if (candidates.length > 0) return read(connection, scope, ranked.slice(0, limit));
      // Where no record holds a word those that hold a part of one go before those that are near.
      const parts = await recordsContaining(connection, scope, { parts: wordParts(words), filter, limit });
      const others = ranked.filter(({ id }) => !parts.includes(id));
      return read(connection, scope, [...parts.map((id) => ({ id })), ...others].slice(0, limit));
    },
  };
}

interface Ranked {
  id: number;
  score?: number;
  isNear?: true;
}

interface Compared extends Pick<FoundCandidates, "standing" | "frequencies"> {
  candidates: readonly Candidate[];
  near: readonly NearRecord[];
}

function ranking(
  words: string,
  population: number,
  { candidates, standing, frequencies, near }: Compared,
): Ranked[] {
  const own = new Set(candidates.map(({ id }) => id));
  const others = near.flatMap(({ candidate }) => (own.has(candidate.id) ? [] : [candidate]));
  const byMeaning = new Map(near.map(({ candidate, weighed }) => [candidate.id, weighed]));
  const terms = askedTerms(words).map(({ term }) => term);
  const question = createQuestion(words, {
    population,
    frequency: ({ term }) => frequencies[terms.indexOf(term)] ?? 0,
  });
  return (
    fuse({ candidates: [...candidates, ...others], standing, question, byMeaning })
      // Who only stands beside an answer is not one.
      .filter(({ id, signals }) => signals.coverage > 0 || byMeaning.has(id))
      .map(({ id, score, signals }) =>
        signals.coverage > 0 ? { id, score } : { id, score, isNear: true as const },
      )
  );
}

// The hits and those beside them, with their words; one that was deleted in between is not there any more.
async function candidatesOf(
  connection: Queryable,
  scope: ProjectScope,
  { hits, standing }: { hits: FoundCandidates["hits"]; standing: readonly Standing[] },
  memory: TermMemory,
): Promise<Candidate[]> {
  const scores = new Map<number, number>();
  for (const { id } of standing) scores.set(id, 0);
  for (const { id, score } of hits) scores.set(id, score);
  const known = new Map<number, IndexedRecord>();
  const missing: number[] = [];
  memory.age();
  for (const id of scores.keys()) {
    const record = memory.get(id);
    if (record === undefined) missing.push(id);
    else known.set(id, record);
  }
  for (const record of missing.length > 0 ? await readTerms(connection, scope, missing) : []) {
    memory.keep(record);
    known.set(record.id, record);
  }
  const candidates: Candidate[] = [];
  for (const [id, score] of scores) {
    const record = known.get(id);
    if (record === undefined) continue;
    const { created_at_epoch, terms } = record;
    candidates.push({ id, score: -score, created_at_epoch, status: "active", terms });
  }
  return candidates;
}

async function read(
  connection: Queryable,
  scope: ProjectScope,
  ranked: readonly Ranked[],
): Promise<RankedObservation[]> {
  if (ranked.length === 0) return [];
  const records = await observationsBySeq(
    connection,
    scope,
    ranked.map(({ id }) => id),
  );
  const bySeq = new Map(records.map((record) => [record.seq, record]));
  // One that was deleted in between is not there any more.
  return ranked.flatMap(({ id, ...how }) => {
    const record = bySeq.get(id);
    return record === undefined ? [] : [{ ...record, ...how }];
  });
}

const rememberedMs = 60_000;
const maxRemembered = 10_000;

// A rarity only needs to know about how many there are; counting a large project takes as long as searching it.
function createPopulations(clock: { monotonicMs(): number }) {
  const known = new Map<string, { count: number; until: number }>();
  return {
    async of(connection: Queryable, scope: ProjectScope): Promise<number> {
      const name = `${scope.team_id}/${scope.project_id}`;
      const before = known.get(name);
      const now = clock.monotonicMs();
      if (before !== undefined && before.until > now) return before.count;
      const count = await countRecords(connection, scope);
      if (known.size >= maxRemembered) known.clear();
      known.set(name, { count, until: now + rememberedMs });
      return count;
    },
  };
}
