// The commands of a turn that passed, and which earlier failures that ends.
import type { Turn } from "../core/records/turn.ts";
import { differenceOf } from "./command-difference.ts";
import { type Part, partsOf, readRuns } from "./command-runs.ts";
import { haveCommon } from "./failure.ts";

export interface PassedRuns {
  /** Command families of which something passed. */
  families: string[];
  /** True for the text of a failure, as `fixesOf` writes it, of a command that passed; not when it ran for less. */
  ends(failureText: string): boolean;
}

export function passedRuns({ uses }: Pick<Turn, "uses">): PassedRuns {
  const runs = readRuns(uses).runs.filter(({ isOfTurn, outcome }) => isOfTurn && outcome === "passed");
  const passed = runs.flatMap(({ parts }) => parts);
  return {
    families: [...new Set(passed.flatMap(({ families }) => families))],
    ends(failureText) {
      const failing = /^`([^`]+)` failed/.exec(failureText)?.[1] ?? "";
      return partsOf(failing).some((failed) => passed.some((part) => ends(failed, part)));
    },
  };
}

function ends(failed: Part, passed: Part): boolean {
  if (!haveCommon(failed, passed)) return false;
  // A long command is shown in part.
  if (failed.source.endsWith("…")) return passed.source.startsWith(failed.source.slice(0, -1));
  const difference = differenceOf({ part: failed, cwd: "" }, { part: passed, cwd: "" });
  return difference.isRelated && !difference.isNarrower;
}
