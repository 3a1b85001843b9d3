// Search of one project: candidates from the index, the worker's ranking, then the records.
import type { Clock } from "../../core/clock.ts";
import type { ObservationFilter } from "../../core/records/hosted-record.ts";
import { codeOf } from "../../core/records/record-terms.ts";
import type { Candidate } from "../../core/records/search.ts";
import { withoutTemplateWords } from "../../core/records/template-words.ts";
import type { ProjectScope } from "../../core/records/tenancy.ts";
import type { FoundObservation, SearchAnswer } from "../../http/v1/recall.ts";
import { fuse } from "../../recall/fusion.ts";
import type { Span } from "../../recall/named-times.ts";
import { comparedCount, inOrder } from "../../recall/one-order.ts";
import { askedTerms, wordParts } from "../../recall/query.ts";
import { createQuestion } from "../../recall/question.ts";
import { readTime } from "../../recall/read-time.ts";
import type { NearestRecord } from "../../store/postgres/nearest.ts";
import { observationsBySeq, recentObservations } from "../../store/postgres/observations.ts";
import type { Queryable } from "../../store/postgres/open.ts";
import {
  countRecords,
  type FoundCandidates,
  findCandidates,
  type IndexedRecord,
  type RankedBehind,
  rankedBehind,
  readTerms,
  recordsContaining,
} from "../../store/postgres/search.ts";
import { wordsOf } from "../../text/words.ts";
import { type FoundByWords, type OfThen, searchWithTime } from "./dated-search.ts";
import type { Near } from "./meaning.ts";
import { createTermCache, type TermCache } from "./term-cache.ts";

export interface ProjectSearch {
  words: string;
  filter: ObservationFilter;
  limit: number;
  /** Vector matches; null or left out without vector search. */
  near?: Near | null | undefined;
}

// More candidates than results: the index knows neither frequency nor position of a word in a record. One number for
// every limit, so that the order is the same.
const candidateCount = 120;

/**
 * Searches inside the caller's transaction. Caches the record count of a project for a minute, and terms of compared
 * records for ten.
 */
export function createProjectSearch(clock: Clock) {
  const populations = createPopulations(clock);
  const memory = createTermCache({ clock });

  async function byWords(
    connection: Queryable,
    scope: ProjectScope,
    { words, filter, limit, near: nearOf, ofThen }: ProjectSearch & { ofThen: OfThen | null },
  ): Promise<FoundByWords> {
    const asked = askedTerms(words);
    const byParts = async () => containing(connection, scope, { parts: wordParts(words), filter, limit });
    // Symbols: records with its emoji. Only stop words: the newest records.
    if (asked.length === 0 && words.trim() !== "" && wordsOf(words).length === 0) {
      const found = await read(
        connection,
        scope,
        (await byParts()).map((id) => ({ id })),
        { words, limit },
      );
      return { answer: { found, notes: [] }, isWhole: false };
    }
    if (asked.length === 0) {
      const found = await recentObservations(connection, scope, { filter, limit });
      return { answer: { found, listed: "filters", notes: [] }, isWhole: false };
    }
    const population = await populations.of(connection, scope);
    const found = await findCandidates(connection, scope, {
      codes: asked.map(({ term }) => codeOf(term)),
      population,
      filter,
      most: candidateCount,
    });
    const near = nearOf ? await nearOf(connection, scope, filter) : [];
    const candidates = await candidatesOf(
      connection,
      scope,
      { ...found, ofThen: ofThen?.seqs ?? [] },
      memory,
    );
    const span = ofThen?.span ?? null;
    const others = [...near.map(({ candidate }) => candidate.id), ...(ofThen?.seqs ?? [])];
    const behind = await behindOf(connection, scope, found, others);
    const ranked = ranking(words, population, { ...found, candidates, near, span, behind });
    const isWhole = ranked.some(({ share = 0 }) => share > nearlyAll);
    const shownOf = async (chosen: readonly Ranked[]): Promise<FoundByWords> => ({
      answer: { found: await read(connection, scope, chosen, { words, limit }), notes: [] },
      isWhole,
    });
    if (found.hits.length > 0 || ranked.some(({ isNear }) => !isNear)) return shownOf(ranked);
    // Without a word match, partial matches rank before vector matches.
    const parts = await byParts();
    const rest = ranked.filter(({ id }) => !parts.includes(id));
    return shownOf([...parts.map((id) => ({ id })), ...rest]);
  }

  return {
    async search(connection: Queryable, scope: ProjectScope, asked: ProjectSearch): Promise<SearchAnswer> {
      const time = readTime(asked.words, clock.now());
      const search = (words: string, ofThen: OfThen | null) =>
        byWords(connection, scope, { ...asked, words, ofThen });
      if (time === null) return (await search(asked.words, null)).answer;
      const { words, filter, limit } = asked;
      return searchWithTime(connection, scope, { words, filter, limit, time, byWords: search });
    },
  };
}

// Words of our own templates are no match.
async function containing(
  connection: Queryable,
  scope: ProjectScope,
  asked: { parts: readonly string[]; filter: ObservationFilter; limit: number },
): Promise<number[]> {
  const seqs = await recordsContaining(connection, scope, asked);
  const records = await observationsBySeq(connection, scope, seqs);
  const held = records.filter(({ content, generator, files_read, files_modified }) => {
    const own = withoutTemplateWords(content, generator);
    const text = [own, ...files_read, ...files_modified].join(" ").toLowerCase();
    return asked.parts.some((part) => text.includes(part));
  });
  const routineOf = new Map(held.map(({ seq, routine }) => [seq, routine]));
  const lasting = seqs.filter((seq) => routineOf.get(seq) === false);
  return [...lasting, ...seqs.filter((seq) => routineOf.get(seq) === true)];
}

// The candidates' statement has read it for the candidates; the other records need another one.
async function behindOf(
  connection: Queryable,
  scope: ProjectScope,
  { behind }: FoundCandidates,
  others: readonly number[],
): Promise<RankedBehind> {
  if (others.length === 0) return behind;
  const more = await rankedBehind(connection, scope, others);
  return {
    routine: new Set([...behind.routine, ...more.routine]),
    superseded: new Set([...behind.superseded, ...more.superseded]),
  };
}

interface Ranked {
  id: number;
  score?: number;
  isNear?: true;
  /** The share of the question that it matches. */
  share?: number;
}

interface Compared extends Pick<FoundCandidates, "hits" | "standing" | "frequencies"> {
  candidates: readonly Candidate[];
  near: readonly NearestRecord[];
  behind: RankedBehind;
  /** Records of this period rank first. */
  span: Span | null;
}

function ranking(
  words: string,
  population: number,
  { candidates, hits, standing, frequencies, near, span, behind }: Compared,
): Ranked[] {
  const own = new Set(candidates.map(({ id }) => id));
  const matched = new Set(hits.map(({ id }) => id));
  const others = near.flatMap(({ candidate }) => (own.has(candidate.id) ? [] : [candidate]));
  const compared = [...candidates, ...others].map((one) => ({
    ...one,
    routine: behind.routine.has(one.id) ? (1 as const) : (0 as const),
    status: behind.superseded.has(one.id) ? ("superseded" as const) : ("active" as const),
  }));
  const byMeaning = new Map(near.map(({ candidate, similarity }) => [candidate.id, similarity]));
  const terms = askedTerms(words).map(({ term }) => term);
  const question = createQuestion(words, {
    population,
    span,
    frequency: ({ term }) => frequencies[terms.indexOf(term)] ?? 0,
  });
  return (
    fuse({ candidates: compared, standing, question, byMeaning })
      // Neighbors of a match are no results.
      .filter(({ id, signals }) => signals.coverage > 0 || matched.has(id) || byMeaning.has(id))
      .map(({ id, score, signals }) =>
        signals.coverage > 0 || !byMeaning.has(id)
          ? { id, score, share: signals.coverage }
          : { id, score, share: 0, isNear: true as const },
      )
  );
}

// A sum of floats may miss 1.
const nearlyAll = 0.999;

// Hits and their neighbors with their terms, without records deleted meanwhile.
async function candidatesOf(
  connection: Queryable,
  scope: ProjectScope,
  { hits, standing, ofThen }: Pick<FoundCandidates, "hits" | "standing"> & { ofThen: readonly number[] },
  memory: TermCache,
): Promise<Candidate[]> {
  const scores = new Map<number, number>();
  for (const { id } of standing) scores.set(id, 0);
  // A match outside the best candidates scores as the last of them; a record without a match is dropped later.
  const lowest = hits.reduce((least, { score }) => Math.min(least, score), hits[0]?.score ?? 0);
  for (const id of ofThen) scores.set(id, lowest);
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

// In the order of every search: the best are compared, whatever the limit.
async function read(
  connection: Queryable,
  scope: ProjectScope,
  ranked: readonly Ranked[],
  { words, limit }: { words: string; limit: number },
): Promise<FoundObservation[]> {
  if (ranked.length === 0) return [];
  const asked = ranked.slice(0, Math.max(limit, comparedCount));
  const records = await observationsBySeq(
    connection,
    scope,
    asked.map(({ id }) => id),
  );
  const bySeq = new Map(records.map((record) => [record.seq, record]));
  // Records may be deleted meanwhile.
  const found = asked.flatMap(({ id, score, share, isNear }) => {
    const record = bySeq.get(id);
    if (record === undefined) return [];
    const rank = score === undefined ? {} : { rank: -score };
    const matched_by = isNear ? ["vectors" as const] : [];
    const words = share === undefined ? {} : { words: share };
    return [{ id, ...rank, ...words, line: lineOf(record), isNear, record, matched_by }];
  });
  return inOrder(found, {
    words,
    kindOf: ({ record }) => (record.kind === "session_summary" ? "session" : "observation"),
  })
    .slice(0, limit)
    .map(({ record, rank, isNear }) => ({
      ...record,
      ...(rank !== undefined && { score: -rank }),
      ...(isNear && { isNear }),
    }));
}

function lineOf({ title, summary, said_by, standing, routine, status, created_at_epoch }: FoundObservation) {
  return {
    ...{ title, preview: summary, created_at_epoch, status },
    ...(said_by !== null && { said_by }),
    ...(standing && { standing: 1 as const }),
    ...(routine && { routine: 1 as const }),
  };
}

const rememberedMs = 60_000;
const maxRemembered = 10_000;

// Approximate counts suffice for rarity; counting a large project takes as long as searching it.
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
