// Whether a rule that was found in a prompt takes the place of an older one.

import { wholeText } from "../core/records/quoted-text.ts";
import type { ComparedRule } from "../core/records/records.ts";
import { sameSubject } from "./subject.ts";

/** True when the newer rule certainly replaces the older one, or repeats it. */
export function replacesRule(newer: ComparedRule, older: ComparedRule): boolean {
  if (older.project !== newer.project || older.reach !== newer.reach) return false;
  if (!isBefore(older, newer)) return false;
  const [before, after] = [wholeText(older), wholeText(newer)];
  if (before.toLowerCase() === after.toLowerCase()) return older.id < newer.id && !isOfHand(older);
  const said = { said_by: "user", standing: true } as const;
  return sameSubject({ text: before, ...said, said_by: older.said_by }, { text: after, ...said }) === "same";
}

// Rules of one prompt have one time: without the order of their ids each of two would replace the other.
function isBefore(one: ComparedRule, other: ComparedRule): boolean {
  return (one.created_at_epoch - other.created_at_epoch || one.id - other.id) < 0;
}

// What the user wrote, edited or pinned is not replaced by a copy of it.
function isOfHand({ generator, pinned }: ComparedRule): boolean {
  return generator === "manual" || pinned === 1;
}
