// Whether a turn finished work that an earlier turn left open.
import type { Turn } from "../core/records/turn.ts";
import { withLead } from "./concluded.ts";
import { saysFinished, userSaysFinished, withoutFinishedCues } from "./finished-cues.ts";
import { ownWordsOf } from "./foreign-text.ts";
import { saysLeftOpen, withoutOpenCues } from "./left-open.ts";
import { namesIn } from "./names.ts";
import { isFiller } from "./rule-wording.ts";
import { sentencesOf } from "./sentences.ts";
import { takenUpIn } from "./taken-up.ts";
import { topicTermsOf } from "./topic-terms.ts";

/** True for the text of open work that the turn reports as finished. Precision goes before recall. */
export type Finishes = (openText: string) => boolean;

/** Null when the turn neither reports anything as finished nor gives an account of what is left. */
export function finishedIn(turn: Turn): Finishes | null {
  const reported = reportedIn(turn);
  const takenUp = takenUpIn(turn);
  if (reported === null && takenUp === null) return null;
  return (openText) => reported?.(openText) === true || takenUp?.(openText) === true;
}

// Null when neither the user nor the agent reports anything as finished.
function reportedIn(turn: Turn): Finishes | null {
  const closing = sentencesOf(turn.closing);
  const said = sentencesOf(ownWordsOf(turn));
  const reports = [
    ...closing.filter(({ text }) => saysFinished(text)).map((one) => withLead(one, closing)),
    ...said.filter(({ text }) => userSaysFinished(text)).map(({ text }) => text),
  ].map((text) => ({ terms: termsOf(text), isShort: subjectOf(text).size <= 2 }));
  if (reports.length === 0) return null;
  const stillOpen = closing.filter(({ text, lead }) => saysLeftOpen(`${lead} ${text}`));
  const left = stillOpen.map((one) => subjectOf(withLead(one, closing)));
  const asked = termsOf(said.map(({ text }) => text).join(" "));
  return (openText) => {
    const subject = subjectOf(openText);
    if (subject.size < leastTerms && namesIn(openText).length === 0) return false;
    if (left.some((one) => shared(subject, one) * 2 >= subject.size)) return false;
    const names = new Set(namesIn(openText).flatMap((name) => topicTermsOf(name)));
    return reports.some(({ terms, isShort }) => {
      if (covers(terms, subject, names)) return true;
      // "Done, the tests pass." reports what the prompt asked for.
      const isAboutIt = isShort || shared(subject, terms) * 2 >= subject.size;
      return isAboutIt && covers(new Set([...terms, ...asked]), subject, names);
    });
  };
}

// Besides the words that say that it is open or finished.
function subjectOf(text: string): Set<string> {
  return termsOf(withoutFinishedCues(withoutOpenCues(text)));
}

function termsOf(text: string): Set<string> {
  return new Set(topicTermsOf(text).filter((term) => !isFiller(term)));
}

function covers(
  report: ReadonlySet<string>,
  subject: ReadonlySet<string>,
  names: ReadonlySet<string>,
): boolean {
  const common = shared(subject, report);
  return common > 0 && common >= subject.size * leastShare && shared(names, report) === names.size;
}

function shared(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  return [...a].filter((term) => b.has(term)).length;
}

const leastTerms = 2;
const leastShare = 0.7;
