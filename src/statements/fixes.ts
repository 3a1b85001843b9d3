// Pairs of a failed command and what made it pass later in the session, quoted as typed.
import { clip, oneLine } from "../domain/plain-text.ts";
import type { Turn } from "../domain/turn.ts";
import { type Difference, differenceOf, placeOf } from "./command-difference.ts";
import { launched, widerFamily } from "./command-family.ts";
import { type Edit, type Part, type Run, readRuns } from "./command-runs.ts";
import { looks, preparingPrograms } from "./command-words.ts";
import { shownCommand } from "./shown-command.ts";
import { tellingLine } from "./telling-line.ts";
import { staysFailed } from "./unfixed.ts";

export interface Fix {
  /** Families of commands that it is known for; see `familiesToLookUp`. */
  families: string[];
  /** The failed command as typed, shortened. */
  failing: string;
  /** The line of its output that tells the most; may be empty. */
  error: string;
  /** What worked, as typed; null for a failure that stayed. */
  working: string | null;
  /** Ids of the raw events that show it, oldest first. */
  events: number[];
  /** One line for the agent. */
  text: string;
}

/** A failed run with the simple command at fault. */
interface Failure {
  run: Run;
  part: Part;
}

/** A failure and how the command that passed differs from it. */
interface Compared extends Failure {
  difference: Difference;
}

/**
 * The failures of the session that were fixed in this turn, and those of this turn that stayed. A test that passes after
 * the code was edited is ordinary work and gives none.
 */
export function fixesOf(turn: Turn): Fix[] {
  const { runs, edits } = readRuns(turn.uses);
  const fixes: Fix[] = [];
  let open: Failure[] = [];
  for (const run of runs) {
    if (run.outcome === "failed") open.push(...failureOf(run));
    if (run.outcome !== "passed") continue;
    for (const part of run.parts) {
      const compared = open.filter((one) => haveCommon(one.part, part)).map((one) => compare(one, run, part));
      const related = compared.filter(({ difference }) => difference.isRelated);
      if (related.every(({ difference }) => difference.isNarrower)) continue;
      const closed = new Set(related.map((one) => one.run.id));
      open = open.filter((one) => !(closed.has(one.run.id) && haveCommon(one.part, part)));
      if (run.isOfTurn) fixes.push(...fixBy({ related, run, part, runs, edits, closing: turn.closing }));
    }
  }
  const stayed = groupsOf(open.filter(({ run }) => run.isOfTurn));
  const rest = stayed.flatMap(
    (group) => otherProgram(group, runs, edits) ?? unfixed(group, edits, turn.closing),
  );
  return [...fixes, ...rest].slice(0, maxFixes);
}

// In a chain the last command with a family is taken to be at fault.
function failureOf(run: Run): Failure[] {
  const part = run.parts.findLast(({ families, background }) => families.length > 0 && !background);
  return part === undefined ? [] : [{ run, part }];
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
  closing: string;
}

function fixBy({ related, run, part, runs, edits, closing }: Passed): Fix[] {
  const first = related[0];
  const last = related.at(-1);
  if (first === undefined || last === undefined || part.background) return [];
  if (related.some(({ difference }) => difference.isOrdinary)) return [];
  const between = edits.filter(({ at }) => at > last.run.at && at < run.at);
  const make = (working: string, others: readonly number[] = []) =>
    fixOf(related, run, { working, families: familiesFor(related, part), others });
  const placed = workingText(first, run, part);
  if (between.some(({ path }) => !isSettings(path)))
    return related.every(({ difference }) => difference.variables || difference.program) ? make(placed) : [];
  if (related.every((one) => isOtherwise(one, run))) return make(placed);
  if (hasOwnSteps(related, run, part)) return make(placed);
  const steps = stepsBetween(last.run, run, runs, part);
  if (steps.length > 0) {
    const withSteps = (shown: readonly Run[]) =>
      make(
        [...shown.map(({ command }) => oneLine(command, maxStep)), placed].join("`, then `"),
        shown.map(({ id }) => id),
      );
    const all = withSteps(steps);
    return all.length > 0 ? all : withSteps(steps.slice(-1));
  }
  const settings = between.find(({ path }) => closing.includes(baseName(path)));
  return settings === undefined
    ? []
    : make(`${placed}\` after a change to \`${baseName(settings.path)}`, [settings.id]);
}

/** The command that passed is not the failed one run again. */
function isOtherwise({ difference, run: failed }: Compared, run: Run): boolean {
  const { variables, program, directory, options, operands, values, replaced } = difference;
  if (variables || program || directory || options || (values && failed.isOfTurn)) return true;
  if (run.isTest || !operands) return false;
  // Other operands are other work, unless the error was about one of them.
  return replaced.length === 0 || (failed.isOfTurn && replaced.every((word) => speaksOf(failed.text, word)));
}

function speaksOf(text: string, word: string): boolean {
  const pieces = word.split(/[:@=]/).filter((piece) => piece.length > 2);
  return !/\s/.test(word) && !word.includes("://") && pieces.some((piece) => text.includes(piece));
}

// Commands in front of it on the same line that no failed line had.
function hasOwnSteps(related: readonly Compared[], run: Run, part: Part): boolean {
  const tried = new Set(related.flatMap(({ run: { parts } }) => parts.map(({ text }) => text)));
  return run.parts.some((step) => step.end < part.end && acts(step) && !tried.has(step.text));
}

function stepsBetween(failed: Run, passed: Run, runs: readonly Run[], part: Part): Run[] {
  return runs
    .filter(({ at, outcome }) => at > failed.at && at < passed.at && outcome !== "failed")
    .filter(({ parts }) => parts.some((step) => acts(step) && !haveCommon(step, part)))
    .slice(-maxSteps);
}

function acts({ families, program, writes }: Part): boolean {
  if (writes.some(isSettings) || preparingPrograms.has(program)) return true;
  const verbs = families[0]?.split(" ").slice(1);
  if (verbs === undefined || idle.has(program)) return false;
  return !looks.has(verbs.at(-1) ?? "") && !(program === "git" && bookkeeping.has(verbs[0] ?? ""));
}

// Sending errors to the output has nothing to do with it.
function withoutRedirection(text: string): string {
  return text.replace(/ 2>&1\s*$/, "");
}

/** The line up to the command, as typed; the directory where it went there before. */
function workingText(failed: Failure, run: Run, part: Part): string {
  const line = run.command.slice(0, part.end).trim();
  const text = withoutRedirection(line.length <= maxWorking && !line.includes("\n") ? line : part.source);
  const place = placeOf({ part, cwd: run.cwd });
  const before = placeOf({ part: failed.part, cwd: failed.run.cwd });
  if (place === before || part.directory !== "") return text;
  return `${text}\` in \`${place.startsWith(`${before}/`) ? place.slice(before.length + 1) : place}`;
}

// What the environment or the program itself needs, all commands of the program need.
function familiesFor(related: readonly Compared[], part: Part): string[] {
  const own = part.families.filter((family) => related.some((one) => one.part.families.includes(family)));
  const isWide = related.every(
    ({ difference }) => difference.variables || difference.program || hasGlobalOption(difference, part),
  );
  return isWide ? [...own, ...own.flatMap((family) => widerFamily(family) ?? [])] : own;
}

function hasGlobalOption({ addedOptions }: Difference, part: Part): boolean {
  const words = launched(part.words);
  const verb = words.indexOf((part.families[0] ?? "").split(" ").at(-1) ?? "");
  return addedOptions.some((option) => words.indexOf(option) < verb);
}

// `pip install x`, then `uv pip install x`; or a program that is not there, and another for the same file.
function otherProgram(group: readonly Failure[], runs: readonly Run[], edits: readonly Edit[]): Fix[] | null {
  const [failed] = group;
  if (failed === undefined || edits.some(({ at }) => at > failed.run.at)) return null;
  const isMissing = notFound.test(failed.run.text);
  for (const run of runs) {
    if (run.at < failed.run.at || run.outcome !== "passed") continue;
    const part = run.parts.find(
      (one) =>
        acts(one) && sharesOperand(failed.part, one) && (isMissing || roleOf(one) === roleOf(failed.part)),
    );
    if (part === undefined) continue;
    const working = workingText(failed, run, part);
    return fixOf(group, run, { working, families: failed.part.families });
  }
  return null;
}

function sharesOperand(failed: Part, other: Part): boolean {
  const words = new Set(launched(failed.words).slice(1));
  const verbs = familyWords(other);
  const isShared = (word: string) =>
    words.has(word) && word.length > 2 && !/^-/.test(word) && !verbs.has(word);
  return launched(other.words).some(isShared);
}

function familyWords({ families }: Part): Set<string> {
  return new Set(families.flatMap((family) => family.split(" ")));
}

function roleOf({ families }: Part): string {
  const verb = (families[0] ?? "").split(" ").at(-1) ?? "";
  return installs.has(verb) ? "install" : verb;
}

function fixOf(
  failed: readonly Failure[],
  run: Run,
  {
    working: typed,
    families,
    others = [],
  }: Pick<Fix, "families"> & { working: string; others?: readonly number[] },
): Fix[] {
  const working = shownCommand(typed, failed.map(({ part }) => part.source).join("\n"), maxWorking);
  if (working === null) return [];
  const { failing, error } = failureWords(failed);
  // What is quoted goes when one of these is withdrawn.
  const events = [...new Set([...failed.map((one) => one.run.id), ...others, run.id])].sort((a, b) => a - b);
  const end = `. What worked: \`${working}\``;
  return [{ families, failing, error, working, events, text: `${said(failing, error, end.length)}${end}` }];
}

function unfixed(group: readonly Failure[], edits: readonly Edit[], closing: string): Fix[] {
  const last = group.at(-1);
  if (last === undefined) return [];
  if (
    !staysFailed(
      closing,
      edits.some(({ at }) => at > last.run.at),
    )
  )
    return [];
  const { failing, error } = failureWords(group);
  const families = [...new Set(group.flatMap(({ part }) => part.families))];
  const events = group.map(({ run }) => run.id);
  const end = " and was not fixed";
  return [
    { families, failing, error, working: null, events, text: `${said(failing, error, end.length)}${end}` },
  ];
}

function failureWords([first]: readonly Failure[]): Pick<Fix, "failing" | "error"> {
  const failing = oneLine(withoutRedirection(first?.part.source ?? ""), maxFailing);
  return { failing, error: tellingLine(first?.run.text ?? "").replaceAll("`", "'") };
}

// What worked stands at the end and is needed whole: the failure gives way where a line is cut.
function said(failing: string, error: string, endChars: number): string {
  const command = `\`${clip(failing, Math.min(shownFailing, longest - endChars - " failed``".length))}\` failed`;
  const room = maxLine - endChars - command.length - " with ``".length;
  return error === "" || room < minError ? command : `${command} with \`${clip(error, room)}\``;
}

function groupsOf(failures: readonly Failure[]): Failure[][] {
  const groups: Failure[][] = [];
  for (const failure of failures) {
    const known = groups.find((group) => group.some((one) => haveCommon(one.part, failure.part)));
    if (known === undefined) groups.push([failure]);
    else known.push(failure);
  }
  return groups;
}

function haveCommon(one: Part, other: Part): boolean {
  return one.families.some((family) => other.families.includes(family));
}

function isSettings(path: string): boolean {
  return settingsFile.test(path);
}

function baseName(path: string): string {
  return clip(path.slice(path.search(/[^\\/]*$/)), 80);
}

const maxFixes = 6;
const maxSteps = 2;
const maxStep = 120;
const maxWorking = 240;
const maxFailing = 100;
const shownFailing = 60;
const maxLine = 240;
const minError = 24;
// What every place shows of a record.
const longest = 300;
const idle = new Set(["curl", "wget", "http"]);
const bookkeeping = new Set(["add", "commit", "stash", "switch", "checkout", "restore", "reset"]);
const installs = new Set(["install", "add", "get", "require"]);
const notFound = /not found|not recognized|No such file/i;
const settingsFile =
  /\.(?:ya?ml|toml|json|ini|cfg|conf|env|properties|xml|gradle|kts|lock|hcl|tfvars|nix|rc)$|(?:^|[\\/])(?:\.[\w.-]+|Dockerfile[\w.-]*|Makefile|justfile|Gemfile|Procfile)$/i;
