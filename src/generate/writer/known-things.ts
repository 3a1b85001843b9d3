// What a model sees of earlier turns: standing rules, open work, and what is known of the same things, each with its id.
import type { KnownRecord } from "../../core/records/statement.ts";
import { namesIn } from "../../statements/text/names.ts";
import { tellingTermsOf } from "../../statements/text/topic-terms.ts";
import { excerpt } from "../../text/excerpt.ts";

export interface Known {
  records: readonly KnownRecord[];
  /** Summary of the session up to the turn; empty without one. */
  summary: string;
}

/** The records of use for a turn with this text: about 15, rules first. */
export function chooseKnown(records: readonly KnownRecord[], turnText: string): KnownRecord[] {
  const names = namesOf(turnText);
  const terms = termsOf(turnText);
  const about = ({ text }: KnownRecord): number =>
    3 * countOf(namesOf(text), names) + countOf(termsOf(text), terms);
  const earlier = records.filter((one) => !one.isKeptNow);
  const newest = [
    ...records.filter((one) => one.isKeptNow).slice(0, most.kept),
    ...earlier.filter((one) => isRule(one) && one.standing).slice(0, most.rules),
    ...earlier.filter(isOpen).slice(0, most.open),
  ];
  const others = earlier
    .filter((one) => !isRule(one) && !newest.includes(one))
    .map((one) => ({ one, weight: about(one) }))
    .filter(({ weight }) => weight >= leastWeight)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, most.others);
  return [...newest, ...others.map(({ one }) => one)];
}

export function knownLine({ id, kind, text, isKeptNow }: KnownRecord): string {
  return `#${id} ${kind}${isKeptNow ? ", kept by the agent now" : ""}: ${excerpt(text, maxLineChars)}`;
}

/** Whether a statement may take the place of a known one: both rules or neither, no proposal of a rule, and on one subject. */
export function mayReplace(
  known: KnownRecord | undefined,
  { text, standing, stored }: { text: string; standing: boolean; stored: string | null },
): known is KnownRecord {
  if (known === undefined || known.isKeptNow) return false;
  if (stored === "rule" || isRule(known)) return standing && isRule(known) && isMostlyAbout(known.text, text);
  return isAbout(known.text, text);
}

/** The known open work that a turn ends; none where a model closes more than a turn can. */
export function closedBy(
  ids: readonly number[],
  known: readonly KnownRecord[],
  turnText: string,
): KnownRecord[] {
  const wanted = new Set(ids);
  if (wanted.size > mostClosed) return [];
  return known.filter(
    (one) => wanted.has(one.id) && isOpen(one) && !one.isKeptNow && isAbout(one.text, turnText),
  );
}

function isAbout(text: string, other: string): boolean {
  return countOf(termsOf(text), termsOf(other)) + countOf(namesOf(text), namesOf(other)) > 0;
}

function isMostlyAbout(text: string, other: string): boolean {
  const [one, two] = [termsOf(text), termsOf(other)];
  const shared = countOf(one, two);
  return shared > 0 && shared * 2 >= Math.min(one.size, two.size);
}

function isRule({ kind }: KnownRecord): boolean {
  return kind === "rule" || kind === "preference";
}

function isOpen({ kind }: KnownRecord): boolean {
  return kind === "open" || kind === "state";
}

// A file counts by its name: tools say whole paths, people do not.
function namesOf(text: string): Set<string> {
  const words = text.length > longestRead ? text.slice(0, longestRead) : text;
  const names = namesIn(words).map((name) => name.replace(/^.*[\\/]/, "").toLowerCase());
  return new Set(names.filter((name) => name.length > 2));
}

function termsOf(text: string): Set<string> {
  return new Set(tellingTermsOf(text.slice(0, longestRead)));
}

function countOf(some: ReadonlySet<string>, all: ReadonlySet<string>): number {
  return [...some].filter((each) => all.has(each)).length;
}

const most = { kept: 6, rules: 5, open: 3, others: 8 };
const mostClosed = 5;
const leastWeight = 2;
const maxLineChars = 200;
const longestRead = 20_000;
