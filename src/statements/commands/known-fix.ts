// Whether a known fix, or a failure that stayed, concerns another command, by its text.
import { namesIn } from "../text/names.ts";
import { haveCommon } from "./failures.ts";
import { type Part, partsOf } from "./runs.ts";
import { haveSameTarget, targetsOf, tellingWordsOf, wordsIn } from "./targets.ts";

/** A command that is about to run, or that failed with this output. */
export interface Attempt {
  command: string;
  /** What it printed; undefined before it runs. */
  output?: string | undefined;
}

/**
 * Tells of the text of a fix, as `fixesOf` writes it, whether it may help the command. A fix belongs to what failed: with
 * other targets it helps when the error is the same, or when the error was of the program and not of what it ran on. The
 * command and its output are read once for all fixes.
 */
export function helpFor({ command, output }: Attempt): (text: string) => boolean {
  const parts = partsOf(command);
  const words = new Set(parts.flatMap(targetsOf).flatMap(wordsIn));
  const printed = output === undefined ? undefined : readOutput(output);
  return (text) => {
    const known = readFix(text);
    if (known === null) return true;
    const common = parts.filter((part) => known.parts.some((failed) => haveCommon(failed, part)));
    if (common.some((part) => haveSameTarget(known.targets, targetsOf(part)))) return true;
    return printed === undefined ? !isOfTarget(known, words) : isErrorIn(known.error, printed);
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
  /** What worked, without the words of the failed command. */
  added: string;
  /** A test failed, or a file that the command ran on has the error. */
  isLocated: boolean;
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
    added: text.includes(worked)
      ? working
          .split(/\s+/)
          .filter((word) => !typed.has(word.replaceAll("`", "")))
          .join(" ")
      : "",
    isLocated: place !== undefined,
  };
}

const form = /^`([^`]+)` failed( in (?:a test|`[^`]+`))?(?: with `([^`]*)`)?/;
const worked = "What worked: ";

/** True when the error is in what the command ran on, or it or its fix names that, in words that the other has not. */
function isOfTarget({ targets, error, added, isLocated }: KnownFix, others: ReadonlySet<string>): boolean {
  if (isLocated) return true;
  if (targets.some((target) => pathLike.test(target) && error.includes(target))) return true;
  const said = new Set(wordsIn(`${error} ${added}`));
  return targets
    .flatMap(tellingWordsOf)
    .some((word) => word.length >= shortestName && said.has(word) && !others.has(word));
}

const pathLike = /[\w-]\.[a-z]\w{0,5}$|\w\/\w/i;
const shortestName = 3;

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
  return name.length >= shortestName && !errorClass.test(name);
}

const errorClass =
  /^(?:\w*(?:Error|Exception|Failure)|E[A-Z]{3,}|ERR\w*|[A-Z]{1,3}\d{3,5}|FAIL(?:ED)?|ERROR|FATAL|HTTP|[\d.,:]+|-+\w?)$/;
const shortestMessage = 12;
const maxOutput = 100_000;
