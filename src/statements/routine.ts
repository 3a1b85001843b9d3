// Finds the tool uses of a finished turn that lists need not show, and the failures that its commands fixed.
import type { ToolUseOfTurn, Turn } from "../core/records/turn.ts";
import { editedPaths } from "../core/tools/apply-patch.ts";
import { commandKind, isRoutineCommand, mainSegment } from "../core/tools/command-kind.ts";
import { readCall, type ToolKind } from "../core/tools/tool-kind.ts";
import { readResult } from "../core/tools/tool-result.ts";
import { differenceOf } from "./commands/difference.ts";
import { haveCommon } from "./commands/failures.ts";
import { type Part, partsOf, type Run, readRuns } from "./commands/runs.ts";

/**
 * Ids of the raw events of a turn that need no separate record in a list. With a closing: reads, edits, passing tests
 * and builds, and failures that a later use of the same kind made up for. Without one only the earlier of several edits of
 * a file: the last one stands for them.
 */
export function routineUses(turn: Turn): number[] {
  const uses = turn.uses.filter(({ isOfTurn }) => isOfTurn);
  if (turn.closing.trim() === "") return repeatedEdits(uses);
  const runs = readRuns(uses).runs;
  const runOf = new Map(runs.map((run) => [run.id, run]));
  return uses
    .filter((use, at) => {
      const run = runOf.get(use.id);
      return run === undefined ? isCovered(use, uses.slice(at + 1)) : isCoveredRun(run, runs);
    })
    .map(({ id }) => id);
}

const coveredTools = new Set<ToolKind>(["read", "search", "edit", "tasks"]);

function isCovered(use: ToolUseOfTurn, later: readonly ToolUseOfTurn[]): boolean {
  if (!coveredTools.has(readCall(use.message).kind)) return false;
  if (!hasFailed(use)) return true;
  const subject = subjectOf(use);
  return later.some((other) => subjectOf(other) === subject && !hasFailed(other));
}

function isCoveredRun(run: Run, runs: readonly Run[]): boolean {
  if (run.outcome === "failed") return runs.some((later) => later.at > run.at && makesUpFor(later, run));
  const main = mainSegment(run.parts);
  if (main === undefined) return false;
  const kind = commandKind(main);
  const isCheck = kind === "test" || kind === "check" || kind === "write";
  return isRoutineCommand(main, kind) || (isCheck && run.outcome === "passed");
}

// In a chain the last command with a family is taken to be at fault, as for the fixes. A failed look has none: whatever
// passes after it goes on without it.
function makesUpFor(later: Run, failed: Run): boolean {
  if (later.outcome !== "passed") return false;
  const fault = failed.parts.findLast(({ families }) => families.length > 0);
  if (fault === undefined) return true;
  return later.parts.some(
    (part) =>
      part.families.some((family) => fault.families.includes(family)) &&
      !differenceOf({ part: fault, cwd: failed.cwd }, { part, cwd: later.cwd }).isNarrower,
  );
}

function repeatedEdits(uses: readonly ToolUseOfTurn[]): number[] {
  const seen = new Set<string>();
  return uses
    .toReversed()
    .filter((use) => {
      if (readCall(use.message).kind !== "edit" || hasFailed(use)) return false;
      const files = editedFiles(use);
      const isRepeated = files !== "" && seen.has(files);
      seen.add(files);
      return isRepeated;
    })
    .map(({ id }) => id);
}

function hasFailed({ message }: ToolUseOfTurn): boolean {
  return readResult(message.tool_response, message.tool_failed === true).failed;
}

/** Equal for two uses that do the same: the kind of tool, and the files of an edit. */
function subjectOf(use: ToolUseOfTurn): string {
  const kind = readCall(use.message).kind;
  return kind === "edit" ? `edit ${editedFiles(use)}` : kind;
}

function editedFiles({ message }: ToolUseOfTurn): string {
  return editedPaths(readCall(message)).join(" ");
}

export function passedRuns({ uses }: Pick<Turn, "uses">) {
  const runs = readRuns(uses).runs.filter(({ isOfTurn, outcome }) => isOfTurn && outcome === "passed");
  const passed = runs.flatMap(({ parts }) => parts);
  return {
    /** Families of the commands that passed. */
    families: [...new Set(passed.flatMap(({ families }) => families))],
    /** True for the text of a failure, as `fixesOf` writes it, of a command that passed; not when it ran for less. */
    ends(failureText: string): boolean {
      const failing = /^`([^`]+)` failed/.exec(failureText)?.[1] ?? "";
      return partsOf(failing).some((failed) => passed.some((part) => ends(failed, part)));
    },
  };
}

function ends(failed: Part, passed: Part): boolean {
  if (!haveCommon(failed, passed)) return false;
  // Long commands are stored shortened.
  if (failed.source.endsWith("…")) return passed.source.startsWith(failed.source.slice(0, -1));
  const difference = differenceOf({ part: failed, cwd: "" }, { part: passed, cwd: "" });
  return difference.isRelated && !difference.isNarrower;
}
