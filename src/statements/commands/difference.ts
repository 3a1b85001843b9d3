// How a command that passed differs from one of its family that failed.
import { joinPath } from "../../core/tools/command-line.ts";
import { type Part, unrolled } from "./runs.ts";

/** A simple command and the directory it ran in. */
interface PlacedPart {
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
  variables: boolean;
  /** Another program file, version, or launcher. */
  program: boolean;
  directory: boolean;
  options: boolean;
  addedOptions: string[];
  /** An option has another value: `-m "..."`. */
  values: boolean;
  /** Operands that were replaced. */
  replaced: string[];
  /** It has new operands. */
  operands: boolean;
  /** Changed operands are other forms of the same things: with a version, a tag, a query. */
  forms: boolean;
}

export function differenceOf(failedInLoop: PlacedPart, passedInLoop: PlacedPart): Difference {
  const failed = { ...failedInLoop, part: unrolled(failedInLoop.part, passedInLoop.part) };
  const passed = { ...passedInLoop, part: unrolled(passedInLoop.part, failedInLoop.part) };
  const before = argumentsOf(failed.part);
  const after = argumentsOf(passed.part);
  const addedOptions = without(after.options, before.options);
  const removedOptions = without(before.options, after.options);
  const added = without(after.operands, before.operands).filter(
    (word) => !addedOptions.includes(after.optionOf(word)),
  );
  const removed = without(before.operands, after.operands).filter(
    (word) => !removedOptions.includes(before.optionOf(word)),
  );
  const isWider = removed.length > 0 && removed.every((word) => added.length === 0 || isWithin(word, added));
  const isSubset =
    added.length > 0 && !isWider && added.every((word) => isWithin(word, removed) || removed.length === 0);
  const limits = addedOptions.some((word) => narrows(passed.part, word));
  const verbs = new Set(passed.part.families.flatMap((family) => family.split(" ")));
  const shared = after.operands.some((word) => before.operands.includes(word) && !verbs.has(word));
  const isValue = (option: string) => before.options.includes(option) && !scriptOption.test(option);
  const values = added.length > 0 && !isWider && added.every((word) => isValue(after.optionOf(word)));
  const mayBeForm = !runsTests(passed.part) && !asksServers(passed.part);
  const forms = mayBeForm && isOtherForm(removed, added);
  const versions = mayBeForm && removed.some((word) => added.some((other) => isVersionOf(word, other)));
  const variables = !sameSet(variablesOf(failed.part), variablesOf(passed.part));
  const program = programText(failed.part) !== programText(passed.part);
  // Other inline code is unrelated, unless the environment changed.
  const otherCode =
    !shared && added.some((word) => isCode(word, after)) && removed.some((word) => isCode(word, before));
  return {
    isRelated:
      shared ||
      forms ||
      versions ||
      (otherCode && (variables || program)) ||
      values ||
      isWider ||
      isSubset ||
      added.length === 0 ||
      removed.length === 0,
    isNarrower: limits || (isSubset && (runsTests(passed.part) || added.every(isPath))),
    isOrdinary: addedOptions.some((word) => ordinary.test(word)),
    variables,
    program,
    directory: placeOf(failed) !== placeOf(passed),
    addedOptions,
    options: [...addedOptions, ...removedOptions.filter((word) => !narrows(failed.part, word))].length > 0,
    values,
    replaced: isWider || isSubset || forms || added.length === 0 ? [] : removed,
    operands: added.length > 0 && !isWider,
    forms,
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

type Arguments = ReturnType<typeof argumentsOf>;

function argumentsOf(part: Part) {
  const words = part.launched.slice(1);
  const isOption = (word: string) => /^[-+]./.test(word);
  return {
    options: words.filter((word) => isOption(word) && word !== "--" && !cosmetic.test(word)),
    operands: words.filter((word) => !isOption(word) && !fillers.has(word)),
    /** The option before a word, or empty. */
    optionOf: (word: string): string => {
      const before = words[words.indexOf(word) - 1] ?? "";
      return isOption(before) ? before : "";
    },
  };
}

function isOtherForm(removed: readonly string[], added: readonly string[]): boolean {
  return (
    added.length > 0 &&
    removed.length === added.length &&
    removed.every((word, at) => isFormOf(word, added[at] ?? "")) &&
    !removed.every((word) => isWithin(word, added)) &&
    !added.every((word) => isWithin(word, removed))
  );
}

function isCode(word: string, { optionOf }: Arguments): boolean {
  const option = optionOf(word);
  return (scriptOption.test(option) || /^-[pr]$/.test(option)) && /[\s();]/.test(word);
}

function without(words: readonly string[], others: readonly string[]): string[] {
  return words.filter((word) => !others.includes(word));
}

/** True when a folder holds the word: its files, `a.py` its `a.py::test`, `./...` everything. */
export function isWithin(word: string, folders: readonly string[]): boolean {
  return folders.some((folder) => {
    const base = folder.replace(/(?:\/?\.{3}|\/+)$/, "");
    return (
      word !== folder &&
      (base === "." || base === "" || word.startsWith(`${base}/`) || word.startsWith(`${base}::`))
    );
  });
}

function narrows(part: Part, option: string): boolean {
  return narrowing.test(option) || narrowingOf.get(part.name)?.test(option) === true;
}

// `cargo test one_name`: an operand selects tests.
function runsTests({ families }: Part): boolean {
  return families.some((family) => testing.test(family));
}

// Another query to a server is another question.
function asksServers({ name }: Part): boolean {
  return askers.has(name);
}

function isPath(word: string): boolean {
  return !word.includes("://") && /[/\\]|::|\.\w{1,6}$/.test(word);
}

function variablesOf(part: Part): string[] {
  return part.environment.filter((word) => !cosmeticVariable.test(word)).toSorted();
}

function sameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.join("\n") === other.join("\n");
}

// The launchers and the program as typed, without variables.
function programText({ source, program, words, launched }: Part): string {
  const launchers = program === "xargs" ? [] : words.slice(0, words.length - launched.length);
  return [source.includes("sudo ") ? "sudo" : "", ...launchers, launched[0] ?? ""].join(" ");
}

const askers = new Set(["curl", "wget", "http", "psql", "mysql", "redis-cli"]);
const fillers = new Set(["run", "exec", "--", "{}"]);
const cosmetic =
  /^-(?:v+|q|s|x|rA?|y|it)$|^--(?:verbose|quiet|silent|(?:no-)?colou?r|tb|reporter|no-header|show-output|nocapture|bail|fail-fast|maxfail|failed-first|last-failed|lf|ff|trace(?:-[\w-]+)?|debug|inspect(?:-brk)?|stacktrace|info|progress|no-progress|json|format|output|yes|durations|log-level|logs)(?:=|$)/;
const narrowing =
  /^-(?:k|t|run|Dtest)$|^-(?:Dtest|run)=|^--(?:grep|filter|only|testNamePattern|test|tests|spec|lib|bin|package|dry-run|collect-only|list|list-tests|plan-only|check|no-run|version|help|lf|last-failed|ignore|exclude|deselect|testPathPattern|shard|repeat-each)(?:=|$)/;
const narrowingOf: ReadonlyMap<string, RegExp> = new Map([
  ["make", /^-[npq]$|^--(?:just-print|recon|question)$/],
  ["pytest", /^-m$|^--co$/],
  ["cargo", /^-p$/],
  ["mvn", /^-pl$|^--projects$/],
  ["mocha", /^-g$/],
  ["playwright", /^-g$/],
  ["ctest", /^-[RNLE]$/],
  ["rspec", /^-e$/],
  ["jest", /^--listTests$/],
]);
const testing = /(?:^| )(?:test|tests|spec|pytest|jest|vitest|mocha|rspec|ctest|phpunit|playwright)$/;
const ordinary =
  /^--(?:no-verify|force|force-with-lease|no-gpg-sign|skip\S*|fix|write|update-?[sS]napshots?|snapshot-update|ignore-\S*errors?|no-check|passWithNoTests|allow-dirty|continue-on-error)(?:=|$)|^-(?:DskipTests|Dmaven\.test\.skip|xtest)\b|^-u$/;
// The value is a script or a query, which differs each time.
const scriptOption = /^-[ceEdqXk]$|^--(?:command|eval|data|query|execute|request)$/;
const cosmeticVariable =
  /^(?:\w*(?:DEBUG|TRACE|LOG)\w*|FORCE_COLOR|NO_COLOR|VERBOSE|CLICOLOR\w*|TERM|COLUMNS)=/;

/** True when both words name the same thing: `serde` and `serde@1.0`, `.#docs` and `.?ref=main#docs`. */
export function isFormOf(one: string, other: string): boolean {
  if (one === other || !isPlain(one) || !isPlain(other)) return false;
  if (isRemote(one) && isRemote(other)) return remoteName(one) === remoteName(other);
  if (endsIn(one, other) || endsIn(other, one)) return true;
  const [few = [], many = []] = [piecesOf(one), piecesOf(other)].toSorted((a, b) => a.length - b.length);
  if (few.length === many.length) return false;
  return (
    few.some((piece) => saysSomething.test(piece)) &&
    few.every((piece) => many.some((other) => other === piece || other.endsWith(`/${piece}`)))
  );
}

/** True when both words name versions of the same thing: `serde@1.0` and `serde@1.1`. */
export function isVersionOf(one: string, other: string): boolean {
  const [before, after] = [piecesOf(one), piecesOf(other)];
  const isSame = (piece: string, at: number) => {
    const next = after[at] ?? "";
    return piece === next || (version.test(piece) && version.test(next));
  };
  return isPlain(one) && before.length > 1 && before.length === after.length && before.every(isSame);
}

// After a repository or a server: `@app//web:all` and `//web:all`, `registry.example.com/team/app` and `app`.
function endsIn(long: string, short: string): boolean {
  if (!long.endsWith(short)) return false;
  const before = long.slice(0, long.length - short.length);
  return /^@[\w-]+$/.test(before) || (/^[\w-]+(?:\.[\w-]+)+(?::\d+)?\//.test(before) && before.endsWith("/"));
}

// Code and messages are words with blanks.
function isPlain(word: string): boolean {
  return !/\s/.test(word) && saysSomething.test(word);
}

// A name keeps its dots, dashes and slashes: `api-worker` is not `api`.
function piecesOf(word: string): string[] {
  return word.split(/[^\w./-]+/).filter((piece) => piece !== "");
}

function isRemote(word: string): boolean {
  return /^[a-z+]+:\/\/|^\w+@[\w.-]+:/.test(word);
}

function remoteName(word: string): string {
  return word
    .replace(/^[a-z+]+:\/\//, "")
    .replace(/^\w+(?::[^@/]*)?@/, "")
    .replace(":", "/")
    .replace(/(?:\.git|\/)+$/, "");
}

const saysSomething = /[A-Za-z]{3}/;
const version = /^v?\d[\w.-]*$|^(?:latest|stable|next|beta)$/;
