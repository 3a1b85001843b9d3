// Finds the tool uses of a finished turn that lists need not show, and which commands passed in it.
import type { ToolUseOfTurn, Turn } from "../core/records/turn.ts";
import { type CommandKind, commandKind, mainSegment } from "../core/tools/command-kind.ts";
import { readCall, type ToolKind } from "../core/tools/tool-kind.ts";
import { readResult } from "../core/tools/tool-result.ts";
import { differenceOf } from "./commands/difference.ts";
import { isSameWork } from "./commands/fixes.ts";
import { type Part, type Run, readRuns } from "./commands/runs.ts";

/**
 * Ids of the raw events of a turn that need no separate record in a list: its closing tells of them. Only commits, installs,
 * answers, plans and failures that nothing made up for stand alone. None without a closing.
 */
export function routineUses(turn: Turn): number[] {
  if (turn.closing.trim() === "") return [];
  const uses = turn.uses.filter(({ isOfTurn }) => isOfTurn);
  const { runs } = readRuns(uses);
  const runOf = new Map(runs.map((run) => [run.id, run]));
  return uses
    .filter((use) => {
      const run = runOf.get(use.id);
      return run === undefined ? isCovered(use) : isCoveredRun(run, runs);
    })
    .map(({ id }) => id);
}

// These have an answer, a decision or a source.
const lastingTools = new Set<ToolKind>(["agent", "plan", "question", "web"]);

function isCovered({ message }: ToolUseOfTurn): boolean {
  const hasFailed = readResult(message.tool_response, message.tool_failed === true).failed;
  return !hasFailed && !lastingTools.has(readCall(message).kind);
}

function isCoveredRun(run: Run, runs: readonly Run[]): boolean {
  if (run.outcome !== "failed") {
    const main = mainSegment(run.parts);
    return main !== undefined && !lastingKinds.has(commandKind(main));
  }
  // In a chain the last command with a family is taken to be at fault, as for the fixes. A failed look has none: whatever
  // passes after it goes on without it.
  const fault = run.parts.findLast(({ families }) => families.length > 0);
  const passed = runs.filter(({ at, outcome }) => at > run.at && outcome === "passed");
  return passed.some((later) => fault === undefined || makesUpFor(later, { run, part: fault }));
}

function makesUpFor(later: Run, failed: { run: Run; part: Part }): boolean {
  const before = { part: failed.part, cwd: failed.run.cwd };
  return later.parts.some(
    (part) => isSameWork(failed, later, part) && !differenceOf(before, { part, cwd: later.cwd }).isNarrower,
  );
}

const lastingKinds = new Set<CommandKind>(["commit", "git", "install"]);

/** Families of the commands that passed in the turn. */
export function passedFamilies({ uses }: Pick<Turn, "uses">): string[] {
  const runs = readRuns(uses).runs.filter(({ isOfTurn, outcome }) => isOfTurn && outcome === "passed");
  return [...new Set(runs.flatMap(({ parts }) => parts.flatMap(({ families }) => families)))];
}
