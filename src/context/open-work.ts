// Open work: what agents left undone, which of it is still current, and the questions that ask for it.
import { remembering } from "../core/recent-map.ts";
import type { QuotedRecord } from "../core/records/records.ts";
import { saysLeftOpen, withoutOpenCues } from "../statements/text/left-open.ts";
import { topicTermsOf } from "../statements/text/topic-terms.ts";
import { cueOf, removing } from "../text/cue-pattern.ts";
import { byTurn, readAddition, turnKey } from "./turns.ts";

/** True for an agent's conclusion that something is not done yet. */
export function isOpenWork({ said_by, summary }: Pick<QuotedRecord, "said_by" | "summary">): boolean {
  return said_by === "agent" && isLeftOpen(summary);
}

const isLeftOpen = remembering(saysLeftOpen, 4_000);

interface OpenWork {
  /** Newest turn first, each in the order of its message. */
  open: QuotedRecord[];
  /** Repeated by a newer account. */
  outdated: ReadonlySet<QuotedRecord>;
}

/**
 * Open work to show at a session start, by turns, for a part of an account says little without the others: the newest turn
 * that left some, those with the most salient of the newest sessions, and one or two that are older. `ranked` is ordered by rank;
 * `newest` decides which sessions are recent.
 */
export function openWorkOf(ranked: readonly QuotedRecord[], newest: readonly QuotedRecord[]): OpenWork {
  const sessions = new Set(newestFirst(newest).map((one) => one.sdk_session_id));
  const recent = new Set([...sessions].slice(0, recentSessions));
  const isRecent = (one: QuotedRecord): boolean => recent.has(one.sdk_session_id);
  const all = ranked.filter(isOpenWork);
  const current = withoutOlderAccounts(newestFirst(all));
  const isCurrent = new Set(current);
  const open = all.filter((one) => isCurrent.has(one));
  const older = open.filter((one) => !isRecent(one)).slice(0, maxOlder);
  const first = [...current.filter(isRecent).slice(0, 1), ...older, ...open.filter(isRecent)];
  const chosen: QuotedRecord[] = [];
  for (const key of new Set(first.map(turnKey))) {
    if (chosen.length >= maxOpen) break;
    chosen.push(...open.filter((one) => turnKey(one) === key));
  }
  return {
    open: inTurnOrder(newestFirst(chosen)),
    outdated: new Set(all.filter((one) => !isCurrent.has(one))),
  };
}

const maxOpen = 5;
const maxOlder = 2;
const recentSessions = 10;

/** Newest first; of equal times the higher id. */
export function newestFirst<R extends Pick<QuotedRecord, "created_at_epoch" | "id">>(
  records: readonly R[],
): R[] {
  return records.toSorted((a, b) => b.created_at_epoch - a.created_at_epoch || b.id - a.id);
}

function inTurnOrder(open: readonly QuotedRecord[]): QuotedRecord[] {
  return byTurn(open).flatMap(({ record, isFirst }) =>
    isFirst ? open.filter((one) => turnKey(one) === turnKey(record)).toSorted((a, b) => a.id - b.id) : [],
  );
}

type OfTurn = Pick<QuotedRecord, "summary" | "sdk_session_id" | "prompt_number">;

/** Open work without records that a later turn repeats; `open` is ordered newest first. */
function withoutOlderAccounts<R extends OfTurn>(open: readonly R[]): R[] {
  const newer: { of: OfTurn; terms: ReadonlySet<string> }[] = [];
  return open.filter((one) => {
    const { terms, isNothingBeside } = readAddition(withoutOpenCues(one.summary));
    const isRepeated =
      terms.length > 0 && newer.some((later) => !isSameTurn(later.of, one) && isNothingBeside(later.terms));
    if (!isRepeated) newer.push({ of: one, terms: new Set(terms) });
    return !isRepeated;
  });
}

function isSameTurn(a: OfTurn, b: OfTurn): boolean {
  return a.sdk_session_id === b.sdk_session_id && a.prompt_number === b.prompt_number;
}

/** The topic of a question for open work: no terms for all of it. Null for any other question. */
export function askedOpenWork(question: string): ReadonlySet<string> | null {
  if (question.length > longestQuestion || !asksForIt.test(question)) return null;
  return new Set(topicTermsOf(removing(asksForIt, question)).filter((term) => !genericTerms().has(term)));
}

const longestQuestion = 200;

// Whole phrases in eight languages: "open" or "left" alone may be a door or a margin.
const asksForIt = cueOf({
  words: `what(?:'s| is|s| are)? (?:(?:we|i) )?(?:still |yet |now )?(?:left|open|to do|undone|unfinished|missing|next|remaining|pending|not done)(?: open| to do| undone| next)?|
    what (?:still )?(?:remains|needs (?:to be done|doing))|what (?:do|did) (?:we|i|you) (?:still )?(?:leave open|have (?:left|to do))|anything (?:still )?(?:left|open)|
    where (?:were we|did (?:we|i) (?:stop|leave off))|left open|still (?:open|to do)|open (?:work|tasks?|items?|points?|issues?|ends|questions?|todos?)|
    unfinished(?: work| tasks?)?|remaining (?:work|tasks?)|pending (?:work|tasks?)|next steps?|to-?dos?|loose ends|
    was (?:ist|bleibt|fehlt|steht) (?:denn )?(?:noch )?(?:offen|übrig|zu tun|aus|nicht fertig|unerledigt)|was (?:bleibt|fehlt)(?: noch)?|noch (?:offen|zu tun)|
    offene[nrs]? (?:punkte|arbeit\\w*|aufgaben?|fragen|enden)|unerledigt\\w*|nächste[nr]? schritte?|wo waren wir|
    qué (?:falta|queda)(?: por hacer| pendiente)?|(?:trabajo|tareas?|cosas?) pendientes?|pendientes?|próximos? pasos?|
    (?:qu'est-ce qui|que) reste(?:-t-il)?(?: à faire)?|reste à faire|travail (?:restant|en cours)|(?:tâches?|points?) (?:restant\\w*|en attente|ouvert\\w*)|prochaines? étapes?|
    o que (?:falta|resta)(?: fazer)?|tarefas? pendentes?|pendências?|próximos? passos?|
    что (?:ещё |еще )?(?:осталось|не сделано|не готово|не закончено)(?: сделать)?|незаконченн\\w*|следующи\\w+ шаг\\w*`,
  runs: "还有什么(?:没做|没完成|要做)?|还剩什么|剩下什么|未完成的?(?:工作|任务)?|待办|下一步|残っている(?:作業|こと|もの)?|残り(?:の)?(?:作業|タスク)?|未完了|やり残し|次にやること",
});

// Made at first use: the list of common words takes 7 ms of the worker's start.
let generic: ReadonlySet<string> | undefined;

function genericTerms(): ReadonlySet<string> {
  generic ??= new Set(
    topicTermsOf(
      "work tasks task things anything project repo repository here session remaining list offen todo",
    ),
  );
  return generic;
}
