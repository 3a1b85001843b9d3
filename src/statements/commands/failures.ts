// Failed commands: the simple command at fault.
import type { ToolUseOfTurn } from "../../core/records/turn.ts";
import { failedTests } from "../../core/tools/test-results.ts";
import { type Part, type Run, readRuns } from "./runs.ts";

/** A failed run with the simple command at fault. */
export interface Failure {
  run: Run;
  part: Part;
  /** From an earlier session: later changes are unknown. */
  isEarlier: boolean;
}

/** Empty when no command of a known family can be at fault. */
export function failureOf(run: Run): Failure[] {
  const part = faultOf(run);
  return part === undefined ? [] : [{ run, part, isEarlier: false }];
}

/** Failures of earlier sessions, ordered before every use of this one. */
export function earlierFailures(uses: readonly ToolUseOfTurn[]): Failure[] {
  return readRuns(uses)
    .runs.filter(({ outcome }) => outcome === "failed")
    .flatMap((run, at) => failureOf({ ...run, at: at - uses.length, isOfTurn: false, project: "" }))
    .map((failure) => ({ ...failure, isEarlier: true }));
}

/** True when both commands belong to one family, or the other one runs the first: `uv pip install x`. */
export function haveCommon(one: Part, other: Part): boolean {
  return one.families.some((family) => other.families.includes(family)) || launches(other, one);
}

function launches({ words, program }: Part, { launched }: Part): boolean {
  const from = words.length - launched.length;
  if (from <= 0 || launched.length < 2 || debuggers.test(program)) return false;
  return launched.every((word, at) => words[from + at] === word);
}

const debuggers = /^(?:gdb|lldb|[sl]trace|valgrind|perf|echo|man|which)$/;

/** The part that the output speaks of; of several in a chain the last one. Undefined where only helpers are left. */
export function faultOf(run: Run): Part | undefined {
  const { parts, isHidden, text } = run;
  const last = parts.at(-1);
  // `make; cat out.log`: the exit code and the error come from `cat`.
  if (!isHidden && last?.families.length === 0 && isNamedIn(text, last) && !saysTestsFailed(text))
    return undefined;
  let left = suspectsOf(run);
  const tests = saysTestsFailed(text);
  for (const isSpokenOf of [
    ({ kind }: Part) => tests && kind === "test",
    (part: Part) => isNamedIn(text, part),
    ({ kind }: Part) => compileError.test(text) && kind === "check",
  ]) {
    const found = left.filter(isSpokenOf);
    if (found.length > 0) left = found;
  }
  const fault = left.findLast((part) => part.name !== "git") ?? left.at(-1);
  return fault?.name === "git" && !mayHaveFailed(fault, run) ? undefined : fault;
}

// The exit code of a line is that of the last command after `;`.
function suspectsOf({ command, parts, isHidden, text }: Run): Part[] {
  const suspects = parts.filter(({ families, background }) => families.length > 0 && !background);
  if (isHidden || parts.at(-1)?.program === "exit" || /(?:^|[;\n]\s*)set -\w*e/.test(command))
    return suspects;
  const from = suspects.findLastIndex(
    (part, at) => at > 0 && /[;\n]/.test(command.slice(suspects[at - 1]?.end, part.start)),
  );
  const last = suspects.slice(Math.max(from, 0));
  return last.some((part) => part.name !== "git" || isNamedIn(text, part)) ? last : suspects;
}

function saysTestsFailed(text: string): boolean {
  return failedTests(text.split("\n")) || assertion.test(text);
}

// `pg_dump: error: ...`, `sh: 1: gm: not found`, `npm ERR! ...`
function isNamedIn(text: string, part: Part): boolean {
  if (part.name === "git") return ofGit.test(text);
  if (part.name === "npm" && /^npm (?:ERR!|error)/m.test(text)) return true;
  const name = part.name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^(?:\\S+: (?:(?:line )?\\d+: )?)?${name}(?:\\[\\d+\\])?: `, "m").test(text);
}

// Hooks of a commit or a push may print anything.
function mayHaveFailed(part: Part, { text, isHidden }: Run): boolean {
  if (isNamedIn(text, part)) return true;
  return !isHidden && (part.families.some((family) => withHooks.test(family)) || !saysTestsFailed(text));
}

const assertion = /\bAssertion(?:Error|Failed\w*)\b|^not ok \d|^--- FAIL: |^\s*FAIL(?:ED)?\s+\S/m;
const compileError =
  /error TS\d+|^error(?:\[E\d+\])?: |: error: |COMPILATION ERROR|SyntaxError|cannot find package|^✖ \d+ problems?|^\s*\d+:\d+\s+error\b|^Found \d+ errors?/m;
const ofGit =
  /^(?:git: |fatal: |remote: |hint: |CONFLICT \(|! \[(?:remote )?rejected\]|error: (?:pathspec|failed to push|src refspec|your local changes|could not|cannot|unable|branch|the following))/im;
const withHooks = / (?:commit|push|merge|rebase|pull|cherry-pick|am|tag|revert)$/;
