// How a command that passed differs from one of its family that failed.
import { joinPath } from "../../core/tools/command-line.ts";
import type { Part } from "./runs.ts";

/** A simple command and the directory it ran in. */
export interface PlacedPart {
  part: Part;
  cwd: string;
}

export interface Difference {
  /** Both have the same subject: they share an operand, or one of them has none. */
  isRelated: boolean;
  /** It covered less, or was a dry run: passing does not show that the failure is fixed. */
  isNarrower: boolean;
  /** It disabled a check or auto-fixed the complaint: ordinary work, not a fix to remember. */
  isOrdinary: boolean;
  /** Other variables, another program file, version, or launcher. */
  environment: boolean;
  directory: boolean;
  options: boolean;
  addedOptions: string[];
  /** An option has another value: `-m "..."`. */
  values: boolean;
  /** Operands that were replaced by others, and whether there are new ones. */
  replaced: string[];
  operands: boolean;
}

export function differenceOf(failed: PlacedPart, passed: PlacedPart): Difference {
  const [before, after] = [argumentsOf(failed.part), argumentsOf(passed.part)];
  const addedOptions = without(after.options, before.options);
  const removedOptions = without(before.options, after.options);
  // The value of an option that is new belongs to it.
  const added = without(after.operands, before.operands).filter(
    (word) => !addedOptions.includes(after.optionOf(word)),
  );
  const removed = without(before.operands, after.operands).filter(
    (word) => !removedOptions.includes(before.optionOf(word)),
  );
  const isWider = removed.length > 0 && removed.every((word) => added.length === 0 || isWithin(word, added));
  const isSubset =
    added.length > 0 && !isWider && added.every((word) => isWithin(word, removed) || removed.length === 0);
  const verbs = new Set(passed.part.families.flatMap((family) => family.split(" ")));
  const shared = after.operands.some((word) => before.operands.includes(word) && !verbs.has(word));
  const isValue = (option: string) => before.options.includes(option) && !scriptOption.test(option);
  const values = added.length > 0 && !isWider && added.every((word) => isValue(after.optionOf(word)));
  // `serde@1.0` for `serde`; another query to a server is another question.
  const isForm = (word: string, at: number) => isFormOf(word, added[at] ?? "");
  const forms =
    removed.length === added.length && !isSubset && passed.part.kind !== "network" && removed.every(isForm);
  const environment = environmentOf(failed.part) !== environmentOf(passed.part);
  const code = environment && [...added, ...removed].every((word) => /[\s();]/.test(word));
  return {
    isRelated:
      shared || forms || values || code || isWider || isSubset || added.length === 0 || removed.length === 0,
    isNarrower:
      addedOptions.some((word) => narrows(passed.part, word)) ||
      (isSubset && (passed.part.families.some((one) => testing.test(one)) || added.every(isPath))),
    isOrdinary: addedOptions.some((word) => ordinary.test(word)),
    environment,
    directory: placeOf(failed) !== placeOf(passed),
    addedOptions,
    options: [...addedOptions, ...removedOptions.filter((word) => !narrows(failed.part, word))].length > 0,
    values,
    replaced: isWider || isSubset || forms ? [] : removed,
    operands: added.length > 0 && !isWider,
  };
}

/** The normalized directory; absolute when the host sends the working directory. */
export function placeOf({ part, cwd }: PlacedPart): string {
  const parts: string[] = [];
  for (const name of joinPath(cwd, part.directory).split("/")) {
    if (name === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else if (name !== "." && (name !== "" || parts.length === 0)) parts.push(name);
  }
  return parts.join("/");
}

function argumentsOf(part: Part) {
  const words = part.launched.slice(1);
  const isOption = (word: string) => /^[-+]./.test(word);
  return {
    options: words.filter((word) => isOption(word) && word !== "--" && !cosmetic.test(word)),
    operands: words.filter((word) => !isOption(word) && !/^(?:run|exec|--|\{\})$/.test(word)),
    /** The option before a word, or empty. */
    optionOf: (word: string): string => {
      const before = words[words.indexOf(word) - 1] ?? "";
      return isOption(before) ? before : "";
    },
  };
}

function without(words: readonly string[], others: readonly string[]): string[] {
  return words.filter((word) => !others.includes(word));
}

/** True when one of the words contains the other as a whole piece: `api` and `api:24`, not `api-worker`. */
export function isFormOf(one: string, other: string): boolean {
  const [short = "", long = ""] = [one, other].toSorted((a, b) => a.length - b.length);
  if (!/^\S*[A-Za-z]{3}\S*$/.test(short) || /\s/.test(long) || short === long) return false;
  return long.split(/[^\w./-]+/).includes(short);
}

/** True when a folder holds the word: its files, `a.py` its `a.py::test`, `./...` everything. */
export function isWithin(word: string, folders: readonly string[]): boolean {
  return folders.some((folder) => {
    const base = folder.replace(/(?:\/?\.{3}|\/+)$/, "");
    const isAll = base === "." || base === "";
    return word !== folder && (isAll || word.startsWith(`${base}/`) || word.startsWith(`${base}::`));
  });
}

function narrows({ name }: Part, option: string): boolean {
  return narrowing.test(option) || narrowingOf.get(name)?.test(option) === true;
}

function isPath(word: string): boolean {
  return !word.includes("://") && /[/\\]|::|\.\w{1,6}$/.test(word);
}

// Variables, launchers and the program as typed.
function environmentOf({ environment, source, program, words, launched }: Part): string {
  const launchers = program === "xargs" ? [] : words.slice(0, words.length - launched.length);
  const variables = environment.filter((word) => !cosmeticVariable.test(word)).toSorted();
  return [...variables, source.includes("sudo ") ? "sudo" : "", ...launchers, launched[0] ?? ""].join(" ");
}

const cosmetic =
  /^-(?:v+|q|s|x|rA?|y|it)$|^--(?:verbose|quiet|silent|(?:no-)?colou?r|tb|reporter|no-header|show-output|nocapture|bail|fail-fast|maxfail|failed-first|last-failed|lf|ff|trace(?:-[\w-]+)?|debug|inspect(?:-brk)?|stacktrace|info|progress|no-progress|json|format|output|yes|durations|log-level|logs)(?:=|$)/;
const narrowing =
  /^-(?:k|t|run|Dtest)$|^-(?:Dtest|run)=|^--(?:grep|filter|only|testNamePattern|test|tests|spec|lib|bin|package|dry-run|collect-only|list|list-tests|plan-only|check|no-run|version|help|lf|last-failed|ignore|exclude|deselect|testPathPattern|shard|repeat-each)(?:=|$)/;
const narrowingOf: ReadonlyMap<string, RegExp> = new Map([
  ["make", /^-[npq]$|^--(?:just-print|recon|question)$/],
  ["pytest", /^-m$|^--co$/],
  ["cargo", /^-p$/],
  ["mvn", /^-pl$|^--projects$/],
  ["playwright", /^-g$/],
]);
// `cargo test one_name`: an operand selects tests.
const testing = /(?:^| )(?:test|tests|spec|pytest|jest|vitest|mocha|rspec|ctest|phpunit|playwright)$/;
const ordinary =
  /^--(?:no-verify|force|force-with-lease|no-gpg-sign|skip\S*|fix|write|update-?[sS]napshots?|snapshot-update|ignore-\S*errors?|no-check|passWithNoTests|allow-dirty|continue-on-error)(?:=|$)|^-(?:DskipTests|Dmaven\.test\.skip|xtest)\b|^-u$/;
// The value is a script or a query, which differs each time.
const scriptOption = /^-[ceEdqXk]$|^--(?:command|eval|data|query|execute|request)$/;
const cosmeticVariable =
  /^(?:\w*(?:DEBUG|TRACE|LOG)\w*|FORCE_COLOR|NO_COLOR|VERBOSE|CLICOLOR\w*|TERM|COLUMNS)=/;
