// The one order of a search over all kinds of records: answers first, questions and routine steps last.
import { type FoundHit, type KindLists, listsOf, oneList } from "../core/records/found-list.ts";
import type { HitPage } from "../core/records/search.ts";
import { termsOf } from "../text/words.ts";
import type { ObservationIndexHit } from "./hits.ts";
import type { Chosen } from "./search-port.ts";

/** What the order reads of a record: the columns of its line. */
export type OrderedLine = Pick<ObservationIndexHit, "title" | "preview" | "created_at_epoch"> &
  Partial<Pick<ObservationIndexHit, "said_by" | "standing" | "routine" | "status">>;

/** A hit in the ranking of its kind, with its line as far as it is compared. */
export interface Placed extends Chosen {
  line?: OrderedLine | undefined;
  created_at_epoch?: number | undefined;
}

/** How many of the best of a kind are compared by their lines. The others follow, in the order of their kind. */
export const comparedCount = 50;

/** How many hits of each kind a page needs: of those compared most may be repeats. */
export function neededFor({ offset, limit }: HitPage): HitPage {
  return { offset: 0, limit: offset + limit + comparedCount };
}

interface Part {
  page: HitPage;
  /** The page counts the hits of all kinds, without texts that a better hit of another kind has. */
  together: boolean;
}

/** A page of each kind, or of all together, of hits with ranks of the one order or without any: a list, newest first. */
export function pageInOrder<O extends Placed, S extends Placed, P extends Placed>(
  lists: KindLists<O, S, P>,
  { page, together }: Part,
): KindLists<O, S, P> {
  const pageOf = <T>(hits: readonly T[]): T[] => hits.slice(page.offset, page.offset + page.limit);
  if (together) return listsOf(pageOf(withoutRepeats(oneList(lists))));
  return {
    observations: pageOf(lists.observations),
    sessions: pageOf(lists.sessions),
    prompts: pageOf(lists.prompts),
  };
}

type Kind = FoundHit<Placed>["kind"];

/**
 * The hits of one ranking, best first, with ranks that compare with other rankings and do not depend on the page;
 * a list without ranks stays as it is.
 */
export function inOrder<H extends Placed>(
  hits: readonly H[],
  { words, kindOf }: { words: string; kindOf(hit: H): Kind },
): H[] {
  const [first] = hits;
  if (first?.rank === undefined) return [...hits];
  const terms = new Set(termsOf(words));
  const best = first.rank || -1;
  const reach = weights.least + (1 - weights.least) * shareOf(first, terms);
  const scoreOf = (hit: H): number => {
    const near = reach * Math.max(0, 1 - ((hit.rank ?? 0) - best) / Math.max(1, Math.abs(best)));
    // The fused rank has the words already: added again, they cost CoSQA 0.9 points of nDCG@10.
    const words = hit.words === undefined ? shareOf(hit, terms) : near;
    return weights.rank * near + weights.words * words + gainOf(kindOf(hit), hit);
  };
  const compared = hits
    .slice(0, comparedCount)
    .map((hit) => ({ ...hit, rank: -scoreOf(hit) }))
    .sort((a, b) => a.rank - b.rank);
  const others = hits.slice(comparedCount).map((hit, place) => ({ ...hit, rank: behindAll + place }));
  return [...compared, ...others];
}

const behindAll = 1_000;

// How near a hit is to the best of its ranking, as far as that has the question; the share of the question that it has;
// and what its kind is worth as an answer.
const weights = { rank: 1.5, least: 0.2, words: 0.4 };
const ofKind = { rule: 1.3, statement: 0.8, account: 0.4, session: 0.75, prompt: 0 };
// `asked`: only the prompt of its turn has the words; below every record that has one of them itself.
const losses = { superseded: 0.5, asked: 5, routine: 10 };

function gainOf(kind: Kind, { line, words, matched_by }: Placed): number {
  if (words === 0 && !matched_by.includes("vectors")) return -losses.asked;
  if (kind !== "observation") return ofKind[kind];
  const own =
    line?.standing === 1 ? ofKind.rule : line?.said_by === undefined ? ofKind.account : ofKind.statement;
  const isReplaced = line?.status === "superseded";
  return own - (line?.routine === 1 ? losses.routine : 0) - (isReplaced ? losses.superseded : 0);
}

function shareOf({ words, line }: Placed, terms: ReadonlySet<string>): number {
  if (words !== undefined || line === undefined || terms.size === 0) return words ?? 0;
  const own = new Set(termsOf(`${line.title} ${line.preview}`));
  return [...terms].filter((term) => own.has(term)).length / terms.size;
}

// The last message of a session is in its summary and a statement too; a prompt may be a statement.
function withoutRepeats<H extends FoundHit<Placed>>(hits: readonly H[]): H[] {
  const shown: { kind: Kind; text: string }[] = [];
  return hits.filter(({ kind, found: { line, rank = behindAll } }) => {
    const text = line?.title.replace(/[….!?:;\s]+$/u, "").toLowerCase() ?? "";
    if (rank >= behindAll || text.length < shortestRepeat) return true;
    const isSame = (other: string) => other.startsWith(text) || text.startsWith(other);
    const isRepeat = shown.some((one) => one.kind !== kind && isSame(one.text));
    shown.push({ kind, text });
    return !isRepeat;
  });
}

const shortestRepeat = 24;
