// Which simple command of a line that failed is at fault.
import { commandKind } from "../core/tools/command-kind.ts";
import { failedTests } from "../core/tools/test-results.ts";
import { launched, programOf } from "./command-family.ts";
import type { Part, Run } from "./command-runs.ts";

/**
 * The part that the output speaks of; of several in a chain the last one. Undefined where only helpers are left, such as
 * `git stash` beside a test: they cannot have printed what went wrong.
 */
export function faultOf(run: Run): Part | undefined {
  if (isOfLook(run)) return undefined;
  let left = suspectsOf(run);
  for (const isSpokenOf of evidenceIn(run.text)) {
    const found = left.filter(isSpokenOf);
    if (found.length > 0) left = found;
  }
  const fault = left.findLast((part) => !isHelper(part)) ?? left.at(-1);
  return fault !== undefined && (!isHelper(fault) || mayHaveFailed(fault, run)) ? fault : undefined;
}

/** True for a command that runs tests. */
export function runsTests(part: Part): boolean {
  return kindOf(part) === "test";
}

// The exit code of a line is that of the last command behind `;`.
function suspectsOf({ command, parts, isHidden, text }: Run): Part[] {
  const suspects = parts.filter(({ families, background }) => families.length > 0 && !background);
  if (isHidden || parts.at(-1)?.program === "exit" || stopsAtError.test(command)) return suspects;
  const from = suspects.findLastIndex(
    (part, at) => at > 0 && endsList.test(command.slice(suspects[at - 1]?.end, part.start)),
  );
  const last = suspects.slice(Math.max(from, 0));
  return last.some((part) => !isHelper(part) || isNamedIn(text, part)) ? last : suspects;
}

// `make; cat out.log`: the exit code is that of `cat`, which says why.
function isOfLook({ parts, isHidden, text }: Run): boolean {
  const last = parts.at(-1);
  return !isHidden && last?.families.length === 0 && isNamedIn(text, last) && !saysTestsFailed(text);
}

function evidenceIn(text: string): ((part: Part) => boolean)[] {
  const tests = saysTestsFailed(text) ? [runsTests] : [];
  const compiler = compileError.test(text) ? [(part: Part) => kindOf(part) === "check"] : [];
  return [...tests, (part) => isNamedIn(text, part), ...compiler];
}

function saysTestsFailed(text: string): boolean {
  return failedTests(text.split("\n")) || assertion.test(text);
}

// `pg_dump: error: ...`, `sh: 1: gm: not found`, `npm ERR! ...`
function isNamedIn(text: string, part: Part): boolean {
  const program = programIn(part);
  if (program === "git") return ofGit.test(text);
  if (program === "npm" && /^npm (?:ERR!|error)/m.test(text)) return true;
  const name = program.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^(?:\\S+: (?:(?:line )?\\d+: )?)?${name}(?:\\[\\d+\\])?: `, "m").test(text);
}

// A hook of a commit or a push may print anything.
function mayHaveFailed(part: Part, { text, isHidden }: Run): boolean {
  if (isNamedIn(text, part)) return true;
  const runsHooks = part.families.some((family) => withHooks.has(family.split(" ").at(-1) ?? ""));
  return !isHidden && (runsHooks || !saysTestsFailed(text));
}

function isHelper(part: Part): boolean {
  return programIn(part) === "git";
}

function kindOf(part: Part): string {
  const words = launched(part.words);
  return commandKind({ ...part, words, program: programIn(part) });
}

function programIn({ words }: Part): string {
  return programOf(launched(words)[0] ?? "");
}

const stopsAtError = /(?:^|[;\n]\s*)set -\w*e/;
const endsList = /[;\n]/;
const assertion = /\bAssertion(?:Error|Failed\w*)\b|^not ok \d|^--- FAIL: |^\s*FAIL(?:ED)?\s+\S/m;
const compileError =
  /error TS\d+|^error(?:\[E\d+\])?: |: error: |COMPILATION ERROR|SyntaxError|cannot find package|^✖ \d+ problems?|^\s*\d+:\d+\s+error\b|^Found \d+ errors?/m;
const ofGit =
  /^(?:git: |fatal: |remote: |hint: |CONFLICT \(|! \[(?:remote )?rejected\]|error: (?:pathspec|failed to push|src refspec|your local changes|could not|cannot|unable|branch|the following))/im;
const withHooks = new Set("commit push merge rebase pull cherry-pick am tag revert".split(" "));
