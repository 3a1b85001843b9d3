// The last sessions at a start: what was asked, and what came of it.
import { askedMark, ownSubtitle } from "../core/records/record-terms.ts";
import type { QuotedRecord, SessionSummary } from "../core/records/records.ts";
import { branchMark, mergedFirst } from "./branches.ts";
import { claimBefore, dayOf, plainLine } from "./quote.ts";

/** A line and the record that it quotes. */
export interface Line {
  record: QuotedRecord | SessionSummary;
  text: string;
  /** A second record quoted in it. */
  also?: QuotedRecord;
}

export function isSummary(record: Line["record"]): record is SessionSummary {
  return "summary_text" in record;
}

interface Shown {
  openIds: ReadonlySet<number>;
  /** Texts that the reader has. */
  said: ReadonlySet<string>;
  repeats: (text: string) => boolean;
  summaries: readonly SessionSummary[];
  /** True for a text that a line about open work says. */
  isLeft: (text: string) => boolean;
}

/**
 * The last sessions, newest first: the request, and what a summary calls done and next, else the most telling conclusion.
 * The report of a sub-agent answers no request of the user.
 */
export function lastSessions(conclusions: readonly QuotedRecord[], shown: Shown): Line[] {
  const { openIds, said, repeats } = shown;
  const summarized = new Map(
    shown.summaries
      .toReversed()
      .flatMap((one) => summaryLine(one, shown).map((line) => [one.sdk_session_id, line])),
  );
  const fitting = conclusions.filter(
    (one) =>
      one.subtitle?.startsWith(askedMark) === true &&
      !openIds.has(one.id) &&
      !summarized.has(one.sdk_session_id) &&
      !said.has(one.summary.toLowerCase()) &&
      !repeats(one.summary),
  );
  const lines = mergedFirst(bestOfSessions(fitting)).slice(0, maxSessions);
  return [...lines.map((one) => sessionLine(one, repeats)), ...summarized.values()]
    .toSorted((a, b) => b.record.created_at_epoch - a.record.created_at_epoch || b.record.id - a.record.id)
    .slice(0, maxSessions);
}

function summaryLine(one: SessionSummary, { isLeft }: Shown): Line[] {
  const asked = plainLine(one.request ?? "", maxChars.asked).replace(/[.:]+$/, "");
  const done = plainLine(one.completed ?? "", maxChars.came);
  const left = isLeft(one.next_steps ?? "") ? "" : plainLine(one.next_steps ?? "", maxChars.next);
  if (done + left === "") return [];
  const next = left === "" ? "" : `${done === "" ? "" : " "}Next: ${left}`;
  const text = `- ${asked === "" ? "" : `${asked} → `}${done}${next} (#S${one.id}, ${dayOf(one.created_at_epoch)})`;
  return [{ record: one, text }];
}

function bestOfSessions(conclusions: readonly QuotedRecord[]): QuotedRecord[] {
  const best = new Map<string, QuotedRecord>();
  for (const one of conclusions) {
    const before = best.get(one.sdk_session_id);
    if (before === undefined || (one.salience ?? 0) > (before.salience ?? 0))
      best.set(one.sdk_session_id, one);
  }
  return [...best.values()];
}

const maxSessions = 3;
const maxChars = { asked: 90, came: 140, next: 120 };

function sessionLine(one: QuotedRecord, repeats: Shown["repeats"]): Line {
  const request = ownSubtitle(one) === "" ? (one.subtitle ?? "").slice(askedMark.length) : "";
  const asked = repeats(request) ? "" : plainLine(request, maxChars.asked).replace(/[.:]+$/, "");
  const quote = plainLine(one.summary, maxChars.came);
  const came = `${claimBefore(one, quote)}${quote}`;
  return {
    record: one,
    text: `- ${asked === "" ? "" : `${asked} → `}${came} (#${one.id}, ${dayOf(one.created_at_epoch)})${branchMark(one)}`,
  };
}
