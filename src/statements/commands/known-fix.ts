// Whether a known fix concerns another command, by its text.
import { namesIn } from "../text/names.ts";
import { isFormOf, isWithin } from "./difference.ts";
import { haveCommon } from "./failures.ts";
import { type Part, partsOf } from "./runs.ts";

/** A command that is about to run, or that failed with this output. */
export interface Attempt {
  command: string;
  /** What it printed; undefined before it runs. */
  output?: string | undefined;
}

/**
 * Tells of the text of a fix, as `fixesOf` writes it, whether it may help the command. A fix belongs to what failed: with
 * other targets it helps when the error is the same, or when the error names none of them. The
 * command and its output are read once for all fixes.
 */
export function helpFor({ command, output }: Attempt): (text: string) => boolean {
  const parts = partsOf(command);
  const printed = output === undefined ? undefined : readOutput(output);
  const typed = new Set(command.split(/\s+/));
  return (text) => {
    const known = readFix(text);
    if (known === null) return true;
    // The command is the fix already.
    if (known.added.length > 0 && known.added.every((word) => typed.has(word))) return false;
    const common = parts.filter((part) => known.parts.some((failed) => haveCommon(failed, part)));
    if (common.some((part) => haveSameTarget(known.targets, targetsOf(part)))) return true;
    if (printed !== undefined) return isErrorIn(known.error, printed);
    return !known.isOfTest && !known.targets.some((target) => known.error.includes(target));
  };
}

/** True when the newer fix takes the place of the older one: for the same targets, or for the same error. */
export function replacesFix(newer: string, older: string): boolean {
  const [by, known] = [readFix(newer), readFix(older)];
  if (by === null || known === null) return true;
  return haveSameTarget(known.targets, by.targets) || isSameError(known.error, by.error);
}

interface KnownFix {
  /** The failed command. */
  parts: Part[];
  targets: string[];
  error: string;
  /** The words of what worked that the failed command did not have. */
  added: string[];
  /** A test failed. */
  isOfTest: boolean;
}

// The same fixes are compared before each command, and reading one takes longer than comparing it.
const readFixes = new Map<string, KnownFix | null>();
const mostRead = 1_000;

function readFix(text: string): KnownFix | null {
  const before = readFixes.get(text);
  if (before !== undefined) return before;
  if (readFixes.size >= mostRead) readFixes.clear();
  const made = parseFix(text);
  readFixes.set(text, made);
  return made;
}

function parseFix(text: string): KnownFix | null {
  const [, failing = "", place, error = ""] = form.exec(text) ?? [];
  if (failing === "") return null;
  const working = text.slice(text.indexOf(worked) + worked.length);
  // A long command is stored shortened, and what worked is whole.
  const isCut = failing.endsWith("…");
  const parts = partsOf(isCut ? failing.replace(/\S*…$/, "") : failing);
  const whole = isCut
    ? partsOf(working.replaceAll("`", "\n")).filter((part) => parts.some((one) => haveCommon(one, part)))
    : [];
  const typed = new Set(failing.split(/\s+/));
  return {
    parts,
    targets: [...parts, ...whole].flatMap(targetsOf),
    error,
    isOfTest: place !== undefined,
    added: text.includes(worked)
      ? working
          .replaceAll("`", "")
          .split(/\s+/)
          .filter((word) => !typed.has(word))
      : [],
  };
}

const form = /^`([^`]+)` failed( in (?:a test|`[^`]+`))?(?: with `([^`]*)`)?/;
const worked = "What worked: ";

/** True when the output has the error's message, or names a symbol or file of it. */
export function isSameError(error: string, output: string): boolean {
  return isErrorIn(error, readOutput(output));
}

interface Output {
  printed: string;
  /** The messages of its lines, one a line. */
  messages: string;
}

function readOutput(output: string): Output {
  const printed = output.replaceAll("`", "'").slice(0, maxOutput);
  return { printed, messages: printed.split("\n").map(messageOf).join("\n") };
}

function isErrorIn(error: string, { printed, messages }: Output): boolean {
  const message = messageOf(error);
  if (message.length < shortestMessage) return false;
  return (
    messages.includes(message) || namesIn(error).some((name) => isTelling(name) && printed.includes(name))
  );
}

// Without its place, and without what a shortened line lost.
function messageOf(line: string): string {
  return line
    .replace(/…$/, "")
    .replace(/(\.[a-z]\w{0,5})(?::\d+(?::\d+)?|\(\d+,\d+\))/gi, "$1")
    .replace(/\s+/g, " ")
    .toLowerCase()
    .trim();
}

// `TypeError`, `ECONNREFUSED` and `TS2304` name a class of errors.
function isTelling(name: string): boolean {
  return name.length >= 3 && !errorClass.test(name);
}

const errorClass =
  /^(?:\w*(?:Error|Exception|Failure)|E[A-Z]{3,}|ERR\w*|[A-Z]{1,3}\d{3,5}|FAIL(?:ED)?|ERROR|FATAL|HTTP|[\d.,:]+|-+\w?)$/;
const shortestMessage = 12;
const maxOutput = 100_000;

/** What the command runs on, without `./`; empty for a command that runs on everything: `eslint .`, `go test ./...`. */
export function targetsOf({ launched, families }: Part): string[] {
  const verbs = new Set(families.flatMap((family) => family.split(" ")));
  const words = launched.slice(1).flatMap((word, at) => {
    if (!/^[-+]./.test(word)) return valued.test(launched[at] ?? "") ? [] : [word];
    return selecting.test(word) ? [word.slice(word.indexOf("=") + 1)] : [];
  });
  const isTarget = (word: string) =>
    !verbs.has(word) && !verbs.has(word.slice(word.lastIndexOf("/") + 1)) && !noTarget.test(word);
  return [...new Set(words.filter(isTarget).map(bare))].filter((target) => target !== "");
}

// `./src/` and `src`, `./...` and nothing, are the same.
function bare(target: string): string {
  return target
    .replace(/^(?:\.\/)+/, "")
    .replace(/(?:\/?\.{3}|\/+|\/\*{1,2})$/, "")
    .replace(/^(?:\.|\*+)$/, "");
}

const noTarget = /^(?:\d+(?:\.\d+)?[a-z%]*|run|exec|--|\{\}|tests?|\w+=.*)$/i;
const selecting =
  /^-{1,2}(?:run|grep|filters?|only|test\w*|spec|suite|package|projects?|scope|module|workspace|bin|dir|cwd|prefix|Dtest|tags|target)=/;
const valued =
  /^-(?:[njomcluUv])$|^--(?:reporters?|config|format(?:ter)?|output|env(?:-file)?|tb|log-?level|features|profile|parser|message|user|host|port|database|registry|mode|base)$/;

/** True when both run on the same thing, one on a part of the other, or one on everything. */
export function haveSameTarget(one: readonly string[], other: readonly string[]): boolean {
  const areIn = (some: readonly string[], others: readonly string[]) =>
    some.every((target) => others.some((each) => isSame(target, each)));
  return areIn(one, other) || areIn(other, one);
}

function isSame(one: string, other: string): boolean {
  return one === other || isWithin(one, [other]) || isWithin(other, [one]) || isFormOf(one, other);
}
