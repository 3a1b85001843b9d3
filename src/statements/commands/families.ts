// The family of a command: its program and the word that names what it runs, to compare two ways of running it.

import { innerCommand, joinPath, parseCommandLine, type Segment } from "../../core/tools/command-line.ts";
import { setOf } from "../../core/tools/name-lists.ts";
import {
  commonFileNames,
  environmentRunners,
  groups,
  interpreters,
  launchers,
  manyTargets,
  namedRuns,
  placedExec,
  scriptRunners,
  spellings,
  subcommands,
  taskRunners,
  trivialPrograms,
  viewingVerbs,
} from "./vocabulary.ts";

/**
 * The families of the simple commands of a line, in order: `npm test`, `docker compose up`, `seed.py`. Flags, variables,
 * wrappers and directories do not count. A command that only looks around has none.
 */
export function commandFamily(command: string): string[] {
  return [...new Set(parseCommandLine(command).flatMap(familiesOf))].slice(0, maxFamilies);
}

/** The families to look up known fixes with: the line's own, and wider ones. */
export function familiesToLookUp(command: string): string[] {
  const own = commandFamily(command);
  return [...new Set([...own, ...own.flatMap((family) => widerFamily(family) ?? [])])];
}

/** The family of a whole program: `mvn` of `mvn verify`. Null where its scripts have little in common. */
export function widerFamily(family: string): string | null {
  const at = family.lastIndexOf(" ");
  const program = family.slice(0, at);
  if (
    at < 0 ||
    unlike.has(program) ||
    interpreters.has(program) ||
    (taskRunners.has(program) && !buildTools.has(program))
  )
    return null;
  return scriptRunners.has(program) ? null : program;
}

/** The families of one simple command: more than one for several targets, `make gen build`. */
export function familiesOf(segment: Pick<Segment, "words" | "directory">): string[] {
  const { launched: words, name: program } = launchedBy(segment.words);
  const inner = innerCommand(words);
  if (inner !== "") return [...new Set(commandFamily(inner))];
  if (!named.test(program) || trivialPrograms.has(program)) return [];
  if (words.slice(1).some((word) => asksForHelp.test(word))) return [];
  const operands = operandsOf(words);
  const url = words.find((word) => urlHost.test(word));
  const isBare = operands.length < 3 && !subcommands.has(operands[0]?.word ?? "");
  if (url !== undefined && isBare) return [`${program} ${urlHost.exec(url)?.[1] ?? ""}`];
  if (
    interpreters.has(program) &&
    !(subcommands.has(operands[0]?.word ?? "") && words[1] === operands[0]?.word)
  )
    return scriptsOf(words, operands, segment.directory);
  if (taskRunners.has(program)) return targetsOf(program, operands);
  if (scriptRunners.has(program)) return scriptOf(program, operands);
  const said = subcommandOf(program, operands);
  if (program === "git" && (said === "" || viewingVerbs.has(said))) return [];
  const name =
    said === "" && words[0]?.includes("/") ? scriptName(joinPath(segment.directory, words[0])) : program;
  return [said === "" ? name : `${name} ${said}`];
}

/** A command without its launchers: `pytest -q` of `uv run pytest -q` and `docker compose exec web pytest -q`. */
export interface Launched {
  launched: string[];
  /** The usual name of its program. */
  name: string;
}

export function launchedBy(words: readonly string[]): Launched {
  let launched = [...words];
  for (let depth = 0; ; depth += 1) {
    if (launched[0] === "docker-compose") launched.splice(0, 1, "docker", "compose");
    const at = commandStart(launched);
    if (at === 0 || at >= launched.length || depth === mostLaunchers)
      return { launched, name: programOf(launched[0] ?? "") };
    launched = launched.slice(at);
  }
}

const mostLaunchers = 8;

/** A program by its usual name: without its directory and version, `mvn` for `./mvnw`, `python` for `python3.11`. */
function programOf(word: string): string {
  const name = word.slice(Math.max(word.lastIndexOf("/"), word.lastIndexOf("\\")) + 1);
  const plain = name.replace(/\.(?:exe|cmd|bat)$/i, "").replace(/(?<=\w)@[\w.^~-]+$|-?\d+(?:\.\d+)*$/, "");
  return spellings.get(plain) ?? plain;
}

function commandStart(words: readonly string[]): number {
  const [first = "", second = ""] = words;
  const program = programOf(first);
  if (launchers.has(program)) return skipOptions(words, 1);
  if (program === "python" && second === "-m") return 2;
  if (program === "nix") return words.findIndex((word) => /^(?:-c|--command)$/.test(word)) + 1;
  const at = words.findIndex((word, index) => index > 0 && index < 12 && /^(?:run|exec|dlx|x)$/.test(word));
  const isPlaced = placedExec.has(program);
  const isRun =
    words[at] === "run" && !environmentRunners.has(program) && !words.slice(1, at).includes("compose");
  const dashes = words.indexOf("--", at);
  if (at < 0 || isRun || (words[at] === "x" && program !== "bun" && dashes < 0)) return 0;
  if (dashes > 0 && words[at] !== "run") return dashes + 1;
  return skipOptions(words, at + 1) + (isPlaced ? 1 : 0);
}

function skipOptions(words: readonly string[], from: number): number {
  let at = from;
  for (let word = words[at] ?? ""; /^-|^\w+=/.test(word); word = words[at] ?? "") {
    at += valuedOptions.has(word) || (word === "-v" && words[at + 1]?.includes(":") === true) ? 2 : 1;
    if (word === "--") break;
  }
  return at;
}

interface Operand {
  word: string;
  /** It follows an option, and may be its value. */
  afterOption: boolean;
}

function operandsOf(words: readonly string[]): Operand[] {
  const end = words.indexOf("--");
  return words
    .slice(0, end < 0 ? undefined : end)
    .map((word, index, all) => ({ word: spellings.get(word) ?? word, afterOption: isOption(all[index - 1]) }))
    .slice(1)
    .filter(({ word }) => !isOption(word) && word !== "-" && !word.includes("="));
}

function isOption(word: string | undefined): boolean {
  return word !== undefined && /^[-+]./.test(word) && !word.includes("=");
}

// Skips the value of an option before a sub-command: `make -C proto gen` has the target `gen`.
function subcommandOf(program: string, operands: readonly Operand[]): string {
  const [first, ...others] = fromSubcommand(operands);
  if (first === undefined) return "";
  if (groups.has(first.word)) {
    const next = fromSubcommand(others).length > 0 ? subcommandOf(program, others) : (others[0]?.word ?? "");
    return bareWord.test(next) ? `${first.word} ${next}` : first.word;
  }
  const target = others.find(({ afterOption }) => !afterOption)?.word;
  return namingVerbs.has(first.word) && namedRuns.has(program) && target !== undefined
    ? `${first.word} ${baseName(target)}`
    : first.word;
}

function fromSubcommand(operands: readonly Operand[]): Operand[] {
  for (const [index, { word, afterOption }] of operands.entries()) {
    if (subcommands.has(word) || viewingVerbs.has(word)) return operands.slice(index);
    if (!afterOption && groups.has(word)) return operands.slice(index);
    if (!afterOption) break;
  }
  return [];
}

function targetsOf(program: string, operands: readonly Operand[]): string[] {
  const sure = operands.filter(({ word, afterOption }) => !afterOption || subcommands.has(word));
  const targets = (sure.length > 0 ? sure : operands).map(
    // `:app:assembleDebug` is the task of one module.
    ({ word }) => (program === "gradle" ? word.slice(word.lastIndexOf(":") + 1) : word),
  );
  if (targets.length === 0) return [program];
  const kept = manyTargets.has(program)
    ? targets.filter((target) => target !== "clean")
    : targets.slice(0, 1);
  return (kept.length > 0 ? kept : targets).slice(0, 4).map((target) => `${program} ${target}`);
}

// `npm run test`, `npm -w api test` and `yarn test` name a script; `npm install` does not, and reads the same.
function scriptOf(program: string, operands: readonly Operand[]): string[] {
  const run = operands.findIndex(({ word }) => word === "run");
  const inWorkspace = operands[0]?.word === "workspace" ? 2 : 0;
  const found =
    run >= 0 ? operands[run + 1] : (fromSubcommand(operands.slice(inWorkspace))[0] ?? operands[inWorkspace]);
  if (found === undefined) return [run < 0 && program === "yarn" ? "yarn install" : program];
  return [`${program} ${/[/.]/.test(found.word) ? scriptName(found.word) : found.word}`];
}

// An inline script differs each time.
function scriptsOf(
  words: readonly string[],
  [script, next]: readonly Operand[],
  directory: string,
): string[] {
  if (words.includes("--test")) return [`${programOf(words[0] ?? "")} --test`];
  if (script === undefined || words.some((word) => inlineScript.test(word))) return [];
  const name = scriptName(joinPath(directory, script.word));
  const isCommand = next !== undefined && !next.afterOption && subcommands.has(next.word);
  return [isCommand ? `${name} ${next.word}` : name];
}

function scriptName(path: string): string {
  const parts = path.split(/[\\/]/).filter((part) => part !== "" && part !== ".");
  const name = parts.at(-1) ?? path;
  const folder = parts.at(-2);
  const bare = name.replace(/\.\w{1,5}$/, "");
  return folder !== undefined && commonFileNames.has(bare) && !programFolders.has(folder)
    ? `${folder}/${name}`
    : name;
}

function baseName(word: string): string {
  return word.slice(word.replace(/[\\/]+$/, "").lastIndexOf("/") + 1);
}

const maxFamilies = 8;
const buildTools = new Set(["mvn", "gradle", "sbt"]);
const unlike = new Set(["git", "curl", "wget", "http"]);
// Options of launchers: `docker compose exec -u root web`, `conda run -n env`, `uv run --with x`, `npx -p x`.
const valuedOptions = setOf(
  `-u --user -w --workdir -e --env --env-file --index -n --name --namespace -p --package --prefix -c --container
    -f --file --with --with-requirements --extra --group --python --project --directory --config --volume
    --entrypoint --publish -I -P -L -d`,
);
const programFolders = new Set(["bin", ".bin", "sbin"]);
const inlineScript = /^-\w?[ceEr]$|^--eval$|^-$/;
const namingVerbs = new Set(["run", "task"]);
const bareWord = /^[a-z][a-z -]*$/;
const named = /^[A-Za-z_][\w.+@-]{0,60}$/;
const asksForHelp = /^--(?:help|version)$/;
const urlHost = /^https?:\/\/(?:[^/@\s]*@)?([^/?#\s]+)/;
