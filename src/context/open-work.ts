// Open work: the questions that ask for it, and the records that say what is left.
import type { QuotedRecord } from "../core/records/records.ts";
import { cueOf, removing } from "../statements/text/cue-pattern.ts";
import { saysLeftOpen, withoutOpenCues } from "../statements/text/left-open.ts";
import { namesIn } from "../statements/text/names.ts";
import { topicTermsOf } from "../statements/text/topic-terms.ts";

/** True for what an agent concluded as not done yet. */
export function isOpenWork({ said_by, summary }: Pick<QuotedRecord, "said_by" | "summary">): boolean {
  return said_by === "agent" && saysLeftOpen(summary);
}

type OfTurn = Pick<QuotedRecord, "summary" | "sdk_session_id" | "prompt_number">;

/** Open work without what the account of a later turn names again; `open` is ordered newest first. */
export function withoutOlderAccounts<R extends OfTurn>(open: readonly R[]): R[] {
  const newer: { of: OfTurn; terms: ReadonlySet<string> }[] = [];
  return open.filter((one) => {
    const text = withoutOpenCues(one.summary);
    const terms = topicTermsOf(text);
    const telling = [
      ...namesIn(text).flatMap((name) => topicTermsOf(name)),
      ...terms.filter((term) => /\d/.test(term)),
    ];
    const isNamedAgain = newer.some(
      ({ of, terms: known }) =>
        !isSameTurn(of, one) &&
        terms.length > 0 &&
        telling.every((term) => known.has(term)) &&
        terms.filter((term) => known.has(term)).length >= terms.length * leastShare,
    );
    if (!isNamedAgain) newer.push({ of: one, terms: new Set(terms) });
    return !isNamedAgain;
  });
}

/** The open work of the turn of the first of them. */
export function ofFirstTurn<R extends OfTurn>(open: readonly R[]): R[] {
  const [first] = open;
  return first === undefined ? [] : open.filter((one) => isSameTurn(one, first));
}

function isSameTurn(a: OfTurn, b: OfTurn): boolean {
  return a.sdk_session_id === b.sdk_session_id && a.prompt_number === b.prompt_number;
}

/** What a question for open work is about besides: no terms for all of it. Null for any other question. */
export function askedOpenWork(question: string): ReadonlySet<string> | null {
  if (question.length > longestQuestion || !asksForIt.test(question)) return null;
  return new Set(topicTermsOf(removing(asksForIt, question)).filter((term) => !aside.has(term)));
}

const leastShare = 0.7;
const longestQuestion = 200;

// The whole phrase, in eight languages: "open" or "left" alone may be a door or a margin.
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

const aside: ReadonlySet<string> = new Set(
  topicTermsOf(
    "work tasks task things anything project repo repository here session remaining list offen todo",
  ),
);
