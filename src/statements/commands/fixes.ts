// Pairs of a failed command and what made it pass later in the session, quoted as typed.
import type { Turn } from "../../core/records/turn.ts";
import { clip, oneLine } from "../../text/plain-text.ts";
import { type Difference, differenceOf, placeOf } from "./difference.ts";
import { earlierFailures, type Failure, failureOf, haveCommon } from "./failures.ts";
import { widerFamily } from "./families.ts";
import { shownCommand, tellingLine } from "./fix-text.ts";
import { type Edit, hasEffects, isSettings, type Part, type Run, readRuns, setsUpShell } from "./runs.ts";

export interface Fix {
  /** Command families that the fix applies to; see `familiesToLookUp`. */
  families: string[];
  /** The failed command as typed, shortened. */
  failing: string;
  /** The most telling line of its output; may be empty. */
  error: string;
  /** The working command as typed. */
  working: string;
  /** Ids of the raw events that show it, oldest first. */
  events: number[];
  /** One line for the agent. */
  text: string;
}

/** A failure and how the command that passed differs from it. */
interface Compared extends Failure {
  difference: Difference;
}

/**
 * The failures of the session that were fixed in this turn. A test that passes after the code was edited is ordinary work and
 * gives none.
 */
export function fixesOf(turn: Turn): Fix[] {
  const { runs, edits } = readRuns(turn.uses);
  const fixes: Fix[] = [];
  let open = earlierFailures(turn.failures ?? []);
  for (const run of runs) {
    if (run.outcome === "failed") open.push(...failureOf(run));
    if (run.outcome !== "passed") continue;
    for (const part of run.parts) {
      const compared = open.filter((one) => isSameWork(one, run, part)).map((one) => compare(one, run, part));
      const related = compared.filter(({ difference }) => difference.isRelated);
      if (related.every(({ difference }) => difference.isNarrower)) continue;
      const closed = new Set(related.map((one) => one.run.id));
      open = open.filter((one) => !(closed.has(one.run.id) && isSameWork(one, run, part)));
      if (run.isOfTurn) fixes.push(...fixBy({ related, run, part, runs, edits }));
    }
  }
  return fixes.slice(0, maxFixes);
}

/** In another project or folder the same command is other work, unless it names the folder that the failed one lacked. */
export function isSameWork(failed: Pick<Failure, "run" | "part">, run: Run, part: Part): boolean {
  if (!haveCommon(failed.part, part) || failed.run.project !== run.project) return false;
  const isThere = placeOf({ part: failed.part, cwd: failed.run.cwd }) === placeOf({ part, cwd: run.cwd });
  return isThere || (part.directory !== "" && !failed.run.testsFailed);
}

function compare(failure: Failure, run: Run, part: Part): Compared {
  const before = { part: failure.part, cwd: failure.run.cwd };
  return { ...failure, difference: differenceOf(before, { part, cwd: run.cwd }) };
}

interface Passed {
  related: readonly Compared[];
  run: Run;
  part: Part;
  runs: readonly Run[];
  edits: readonly Edit[];
}

function fixBy({ related: all, run, part, runs, edits }: Passed): Fix[] {
  const ofSession = all.filter(({ isEarlier }) => !isEarlier);
  const related = ofSession.length > 0 ? ofSession : all;
  const [first, last] = [related[0], related.at(-1)];
  if (first === undefined || last === undefined || part.background) return [];
  // What passes in a loop is another command in each round.
  if (related.some(({ difference }) => difference.isOrdinary) || inLoop.test(run.command)) return [];
  const fix = (typed: string, others: readonly number[] = []): Fix[] =>
    fixOf(related, { typed, families: familiesFor(related, part), events: [...others, run.id] });
  const placed = workingText(run, part);
  // Another environment is a fix even when code was edited.
  const isElsewhere = related.every(({ difference }) => difference.environment);
  const own = ownSteps(related, run, part);
  if (first.isEarlier) return isElsewhere || own.some(setsUpShell) ? fix(placed) : [];
  const isCode = ({ at, path }: Edit) =>
    at > last.run.at && at < run.at && !isSettings(path) && !document.test(path);
  // After an edit of the code a test passes by that.
  if (edits.some(isCode)) return isElsewhere && !last.run.testsFailed ? fix(placed) : [];
  if (own.length > 0 || related.every((one) => isOtherwise(one, run))) return fix(placed);
  const steps = stepsBetween(last.run, run, runs, part);
  const typed = [...steps.map(({ command }) => oneLine(command, maxStep)), placed].join("`, then `");
  return steps.length === 0
    ? []
    : fix(
        typed,
        steps.map(({ id }) => id),
      );
}

/** True when the passing command is not just the failed one run again. */
function isOtherwise({ difference, run: failed }: Compared, run: Run): boolean {
  const { environment, directory, options, operands, values, replaced } = difference;
  if (environment || directory || options || (values && failed.isOfTurn)) return true;
  if (run.isTest || !operands) return false;
  // Other operands are other work, unless the error mentions one of them.
  return replaced.length === 0 || (failed.isOfTurn && replaced.every((word) => speaksOf(failed.text, word)));
}

function speaksOf(text: string, word: string): boolean {
  const pieces = word.split(/[:@=]/).filter((piece) => piece.length > 2);
  return !/\s/.test(word) && !word.includes("://") && pieces.some((piece) => text.includes(piece));
}

// Commands before it on the same line that no failed line had.
function ownSteps(related: readonly Compared[], run: Run, part: Part): Part[] {
  const tried = new Set(related.flatMap(({ run: { parts } }) => parts.map(({ text }) => text)));
  return run.parts.filter((step) => step.end < part.end && hasEffects(step) && !tried.has(step.text));
}

function stepsBetween(failed: Run, passed: Run, runs: readonly Run[], part: Part): Run[] {
  return runs
    .filter(({ at, outcome }) => at > failed.at && at < passed.at && outcome !== "failed")
    .filter(({ parts }) => parts.some((step) => hasEffects(step) && !haveCommon(step, part)))
    .slice(-maxSteps);
}

function withoutRedirection(text: string): string {
  return text.replace(/ 2>&1\s*$/, "");
}

/** The line up to the command, as typed. */
function workingText(run: Run, part: Part): string {
  const line = run.command.slice(0, part.end).trim();
  return withoutRedirection(line.length <= maxWorking && !line.includes("\n") ? line : part.source);
}

// A change of the environment or the program applies to all commands of the program.
function familiesFor(related: readonly Compared[], part: Part): string[] {
  const failed = [...new Set(related.flatMap((one) => one.part.families))];
  const shared = part.families.filter((family) => failed.includes(family));
  const own = shared.length > 0 ? shared : failed;
  const verb = part.launched.indexOf((own[0] ?? "").split(" ").at(-1) ?? "");
  const isGlobal = ({ addedOptions }: Difference) =>
    addedOptions.some((option) => part.launched.indexOf(option) < verb);
  const isWide = related.every(({ difference }) => difference.environment || isGlobal(difference));
  return isWide ? [...own, ...own.flatMap((family) => widerFamily(family) ?? [])] : own;
}

/** None where what worked cannot be shown. `events` are those besides the failures. */
function fixOf(
  failed: readonly Failure[],
  { typed, families, events: others }: Pick<Fix, "families" | "events"> & { typed: string },
): Fix[] {
  const sources = failed.map(({ part }) => part.source);
  const working = shownCommand(typed, sources.join("\n"), maxWorking);
  if (working === null) return [];
  const failing = oneLine(withoutRedirection(sources[0] ?? ""), maxFailing);
  const error = tellingLine(failed[0]?.run.text ?? "").replaceAll("`", "'");
  // The quote is deleted when one of these is withdrawn.
  const events = [...new Set([...failed.map(({ run }) => run.id), ...others])].sort((a, b) => a - b);
  const end = `. What worked: \`${working}\``;
  const place = failed[0]?.run.testsFailed === true ? " in a test" : "";
  const text = `${said(failing, error, { place, endChars: end.length })}${end}`;
  return [{ families, failing, error, working, events, text }];
}

// The working command is needed whole, so the failure is shortened first. `helpFor` reads this form.
function said(
  failing: string,
  error: string,
  { place, endChars }: { place: string; endChars: number },
): string {
  const verb = ` failed${place}`;
  const command = `\`${clip(failing, Math.min(shownFailing, longest - endChars - verb.length - 2))}\`${verb}`;
  const room = maxLine - endChars - command.length - " with ``".length;
  return error === "" || room < minError ? command : `${command} with \`${clip(error, room)}\``;
}

const maxFixes = 6;
const maxSteps = 2;
const maxStep = 120;
const maxWorking = 240;
const maxFailing = 100;
const shownFailing = 60;
const maxLine = 240;
const minError = 24;
// Every list shows this many characters of a record.
const longest = 300;

const inLoop = /(?:^|[\s;])(?:for|while|until)\s[\s\S]*[;\n]\s*do\s/;
const document = /\.(?:mdx?|markdown|rst|txt|adoc|org|pdf|png|jpe?g|gif|svg|docx?)$/i;
