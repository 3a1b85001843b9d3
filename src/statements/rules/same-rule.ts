// Whether two rules say the same in other words: "Use pnpm, never npm." and "use pnpm here, not npm".
import { remembering } from "../../core/recent-map.ts";
import { setOf } from "../../core/tools/name-lists.ts";
import { stem } from "../../text/stem.ts";
import { type Subject, subjectOf } from "./subject.ts";

/** True when two rules of the user say the same. Precision goes before recall: a word more is another rule. */
export function isSameRule(one: string, other: string): boolean {
  return isSame(read(one), read(other));
}

/** The rules without those that say what one before them says. */
export function withoutSameRules<R>(rules: readonly R[], textOf: (rule: R) => string): R[] {
  const kept: { rule: R; said: ReadRule }[] = [];
  for (const rule of rules) {
    const said = read(textOf(rule));
    if (!kept.some((one) => isSame(one.said, said))) kept.push({ rule, said });
  }
  return kept.map(({ rule }) => rule);
}

interface ReadRule {
  words: string;
  subject: Subject;
}

// Rules are listed at every session start, and reading one takes about 0.1 ms.
const read = remembering<ReadRule>(
  (text) => ({ words: wordsKey(text), subject: subjectOf({ text, said_by: "user", standing: true }) }),
  1_000,
);

function isSame(a: ReadRule, b: ReadRule): boolean {
  return a.words === b.words || isSameContrast(a.subject, b.subject) || isSameChoice(a.subject, b.subject);
}

// Both say what to do and what not.
function isSameContrast(a: Subject, b: Subject): boolean {
  if ([a.asked, a.rejected, b.asked, b.rejected].some(({ size }) => size === 0)) return false;
  return areEqual(a.asked, b.asked) && areEqual(a.rejected, b.rejected);
}

// To choose one option is to refuse the others, also unsaid.
function isSameChoice(a: Subject, b: Subject): boolean {
  if (a.rest.size > 0 || b.rest.size > 0 || a.chosen.size === 0 || a.chosen.size !== b.chosen.size)
    return false;
  return [...a.chosen].every(([choice, values]) => areEqual(values, b.chosen.get(choice) ?? new Set()));
}

function areEqual(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((one) => b.has(one));
}

// The words in order, without what changes nothing.
function wordsKey(text: string): string {
  return text
    .toLowerCase()
    .split(/[\s,;:.!?。！？、，；：]+(?=\s|$)|\s+/u)
    .filter((word) => word !== "" && !softeners.has(word))
    .map((word) => (/^\p{L}+$/u.test(word) ? stem(word) : word))
    .join(" ");
}

const softeners = setOf(
  `a an the please also again always really here just and but so ok okay remember is are be bitte immer hier und
    el la los las por favor siempre aquí le les s'il te plaît toujours ici sempre aqui пожалуйста всегда здесь`,
);
