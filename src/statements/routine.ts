// Finds the tool uses of a finished turn that lists need not show, and which commands passed in it.
import type { ToolUseOfTurn, Turn } from "../core/records/turn.ts";
import { editedPaths } from "../core/tools/apply-patch.ts";
import { type CommandKind, commandKind, mainSegment } from "../core/tools/command-kind.ts";
import { readCall, type ToolKind } from "../core/tools/tool-kind.ts";
import { readResult } from "../core/tools/tool-result.ts";
import { differenceOf } from "./commands/difference.ts";
import { haveCommon } from "./commands/failures.ts";
import { type Run, readRuns } from "./commands/runs.ts";

/**
 * Ids of the raw events of a turn that need no separate record in a list: its summary is one line of what was done. With a
 * closing only commits, installs, answers, plans and failures that nothing made up for stand alone. Without one all but the
 * earlier of several edits of a file: the last one stands for them.
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

// The summary tells of the others. These have an answer, a decision or a source.
const lastingTools = new Set<ToolKind>(["agent", "plan", "question", "web"]);

function isCovered(use: ToolUseOfTurn, later: readonly ToolUseOfTurn[]): boolean {
  if (lastingTools.has(readCall(use.message).kind)) return false;
  if (!hasFailed(use)) return true;
  const subject = subjectOf(use);
  return later.some((other) => subjectOf(other) === subject && !hasFailed(other));
}

function isCoveredRun(run: Run, runs: readonly Run[]): boolean {
  if (run.outcome === "failed") return runs.some((later) => later.at > run.at && makesUpFor(later, run));
  const main = mainSegment(run.parts);
  return main !== undefined && !lastingKinds.has(commandKind(main));
}

const lastingKinds = new Set<CommandKind>(["commit", "git", "install"]);

// In a chain the last command with a family is taken to be at fault, as for the fixes. A failed look has none: whatever
// passes after it goes on without it.
function makesUpFor(later: Run, failed: Run): boolean {
  if (later.outcome !== "passed") return false;
  const fault = failed.parts.findLast(({ families }) => families.length > 0);
  if (fault === undefined) return true;
  return later.parts.some(
    (part) =>
      haveCommon(fault, part) &&
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

/** Families of the commands that passed in the turn. */
export function passedFamilies({ uses }: Pick<Turn, "uses">): string[] {
  const runs = readRuns(uses).runs.filter(({ isOfTurn, outcome }) => isOfTurn && outcome === "passed");
  return [...new Set(runs.flatMap(({ parts }) => parts.flatMap(({ families }) => families)))];
}
