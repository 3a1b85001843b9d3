// What a command runs on: the files, names, packages and selections behind its program and sub-command.
import { setOf } from "../../core/tools/name-lists.ts";
import { isFormOf, isVersionOf, isWithin } from "./difference.ts";
import { isSettings, type Part } from "./runs.ts";
import { commonFileNames, scriptRunners } from "./vocabulary.ts";

/** In order, without `./`; empty for a command that runs on everything: `eslint .`, `go test ./...`, `pnpm test`. */
export function targetsOf(part: Part): string[] {
  const { launched, families } = part;
  const verbs = new Set(families.flatMap((family) => family.split(" ")));
  const targets: string[] = [];
  for (let at = 1; at < launched.length; at += 1) {
    const word = launched[at] ?? "";
    const [name = "", value] = optionOf(word);
    if (name === "") {
      if (!isOfFamily(word, verbs) && !fillers.has(word) && !isSetting.test(word)) targets.push(word);
    } else if (selects(part, name)) {
      targets.push(value ?? launched[at + 1] ?? "");
      if (value === undefined) at += 1;
    } else if (value === undefined && takesValue(part, name, launched[at + 1] ?? "")) at += 1;
  }
  return [...new Set(targets.map(bare))].filter((target) => target !== "");
}

/**
 * True when both run on the same thing, one on a part of the other, or one on everything. `a.py -k x` and `a.py -k y` run
 * on different things.
 */
export function haveSameTarget(one: readonly string[], other: readonly string[]): boolean {
  return areIn(one, other) || areIn(other, one);
}

function areIn(some: readonly string[], others: readonly string[]): boolean {
  return some.every((target) => others.some((other) => isSame(target, other)));
}

/** True when the target holds the file, or the file's path has the words that tell the target from others. */
export function isNamedBy(target: string, file: string): boolean {
  const words = tellingWordsOf(target);
  const path = wordsIn(file);
  return (
    isWithin(file, [target]) ||
    target === file ||
    (words.length > 0 && words.every((word) => path.includes(word)))
  );
}

/** The words of a target, a name or a message, in lower case: `src/webhook.test.ts` has `webhook`. */
export function wordsIn(text: string): string[] {
  return text
    .replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, " ")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

/** The words that tell a target from others of its kind: without its folders, unless its name is a common one. */
export function tellingWordsOf(target: string): string[] {
  const parts = target.split(/[\\/]/);
  const name = (parts.at(-1) ?? "").replace(/\.[a-z]{1,6}(?=$|::|:\d)/i, "");
  const told = commonFileNames.has(name) ? `${parts.at(-2) ?? ""} ${name}` : name;
  return wordsIn(told).filter((word) => !kinds.has(word));
}

function isSame(one: string, other: string): boolean {
  if (one === other || isWithin(one, [other]) || isWithin(other, [one])) return true;
  if (isFormOf(one, other) || isVersionOf(one, other)) return true;
  if (isSettings(one) || isSettings(other)) return false;
  const [few = [], many = []] = [tellingWordsOf(one), tellingWordsOf(other)].toSorted(
    (a, b) => a.length - b.length,
  );
  return few.length > 0 && few.every((word) => many.includes(word));
}

// `./src/` and `src`, `./...` and nothing, are the same.
function bare(target: string): string {
  return target
    .replace(/^(?:\.\/)+/, "")
    .replace(/(?:\/?\.{3}|\/+|\/\*{1,2})$/, "")
    .replace(/^(?:\.|\*+)$/, "");
}

/** Name and value of `--name=value`; an empty name for an operand. */
function optionOf(word: string): [name: string, value?: string] {
  if (!/^[-+]./.test(word) || word === "--") return [""];
  const at = word.indexOf("=");
  return at < 0 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}

function isOfFamily(word: string, verbs: ReadonlySet<string>): boolean {
  return word === "--" || verbs.has(word) || verbs.has(word.slice(word.lastIndexOf("/") + 1));
}

// Short options mean something else in programs that select nothing.
function selects({ kind, name: program }: Part, option: string): boolean {
  if (option.startsWith("--") || option.length > 2) return selecting.test(option);
  const maySelect =
    kind === "test" || kind === "check" || selectors.has(program) || scriptRunners.has(program);
  return maySelect && shortSelecting.test(option) && !(program === "pytest" && option === "-p");
}

function takesValue({ name: program }: Part, option: string, next: string): boolean {
  return (
    valued.test(option) || /^\d+(?:\.\d+)?[a-z%]*$/i.test(next) || (program === "pytest" && option === "-p")
  );
}

const fillers = setOf("run exec -- {} test tests");
const selectors = setOf("cargo go mvn gradle tsc docker compose nx turbo lerna bazel dotnet swift");
const isSetting = /^\w+=/;
const kinds = setOf("test tests spec specs it e2e int unit");
const selecting =
  /^-{1,2}(?:run|grep|filter|filters|only|testNamePattern|testPathPatterns?|test|tests|spec|specs|suite|testsuite|package|project|projects|scope|module|workspace|bin|example|dir|cwd|prefix|directory|pl|Dtest|gtest_filter|group|tags|target|include)$/;
const shortSelecting = /^-[ktgwpFCRELe]$/;
const valued =
  /^-[njomcluU]$|^--(?:reporters?|config|timeout|max-?[wW]orkers|workers|jobs|parallel|retries|seed|env|env-file|environment|pool|format|formatter|output|out-?[dD]ir|outputFile|tb|maxfail|log-?level|features|profile|durations|randomize|shard|ext|parser|rule|ignore-path|message|file|user|host|port|database|registry|tag|mode|base|cache-location|rootdir|basetemp|junitxml|index-url|extra-index-url|trusted-host)$/;
