// Commands that failed and wait for what makes them pass.
import type { ToolUseOfTurn } from "../core/records/turn.ts";
import { type Part, type Run, readRuns } from "./command-runs.ts";
import { faultOf } from "./fault.ts";
import { isOrGlobs } from "./loops.ts";

/** A failed run with the simple command at fault. */
export interface Failure {
  run: Run;
  part: Part;
  /** It is of an earlier session: what happened since then is not known. */
  isEarlier: boolean;
}

/** The failures of a run: none where no command of a known family can be at fault. */
export function failureOf(run: Run): Failure[] {
  const part = faultOf(run);
  return part === undefined ? [] : [{ run, part, isEarlier: false }];
}

/** The failures of tool uses of earlier sessions; they stand before every use of this one. */
export function earlierFailures(uses: readonly ToolUseOfTurn[]): Failure[] {
  return readRuns(uses)
    .runs.filter(({ outcome }) => outcome === "failed")
    .flatMap((run, at) => failureOf({ ...run, at: at - uses.length, isOfTurn: false }))
    .map((failure) => ({ ...failure, isEarlier: true }));
}

/** Failures of one command together. */
export function groupsOf(failures: readonly Failure[]): Failure[][] {
  const groups: Failure[][] = [];
  for (const failure of failures) {
    const known = groups.find((group) => group.some((one) => haveCommon(one.part, failure.part)));
    if (known === undefined) groups.push([failure]);
    else known.push(failure);
  }
  return groups;
}

/** True when both commands belong to one family; a loop over `*.js` runs each of them. */
export function haveCommon(one: Part, other: Part): boolean {
  return one.families.some((family) => other.families.some((name) => isOrGlobs(family, name)));
}
