// Checks whether a standing rule forbids a command or an edit.
import { remembering } from "../../core/recent-map.ts";
import { filesWritten } from "../../core/tools/command-files.ts";
import { parseCommandLine, type Segment } from "../../core/tools/command-line.ts";
import { setOf } from "../../core/tools/name-lists.ts";
import { isFunctionWord } from "../../text/function-words.ts";
import { stem } from "../../text/stem.ts";
import { commandFamily, familiesOf, launchedBy } from "../commands/families.ts";
import { subcommands } from "../commands/vocabulary.ts";
import { editVerb, operations, type ParsedRule, type Prohibition } from "./prohibitions.ts";

export interface Action {
  command?: string;
  /** What the command printed, where it has failed already. */
  output?: string;
  /** A file that is about to be edited, relative or absolute. */
  path?: string;
}

/**
 * Tells of each rule whether a prohibition of it names the program, sub-command, option, branch or path that the action
 * uses. The action is read once for all rules. Precision goes before recall: a rule in general words matches nothing.
 */
export function forbiddenBy({ command = "", path = "" }: Action): (rule: ParsedRule) => boolean {
  const uses = command === "" ? [] : parseCommandLine(command).map(useOf);
  return ({ prohibitions }) =>
    prohibitions.some(
      (one) => (path !== "" && forbidsPath(one, path)) || uses.some((use) => forbidsUse(one, use)),
    );
}

/** A simple command in the terms of rules. */
interface Use {
  families: readonly string[];
  programs: ReadonlySet<string>;
  /** Sub-commands and targets. */
  verbs: ReadonlySet<string>;
  words: readonly string[];
  /** Operands, and the parts of `origin/main` and `HEAD:main`. */
  names: ReadonlySet<string>;
  writes: readonly string[];
  /** Programs in front of it: `sudo`. */
  before: readonly string[];
}

function useOf(segment: Segment): Use {
  const { launched, name } = launchedBy(segment.words);
  const words = launched.map((word) => word.toLowerCase());
  const families = familiesOf(segment);
  const verbs = new Set(families.flatMap((family) => family.split(" ").slice(1)));
  const operands = words.slice(1).filter((word) => !word.startsWith("-") && !verbs.has(word));
  const groups = families.flatMap((family) => family.split(" ").slice(0, -1));
  return {
    families,
    programs: new Set([segment.program, name, ...groups].map((each) => each.toLowerCase())),
    verbs,
    words,
    names: new Set(operands.flatMap((word) => [word, ...word.split(/[/:]/)])),
    writes: [...segment.writes.filter((path) => !path.startsWith("/dev/")), ...filesWritten(segment)],
    before: wordsBefore(segment),
  };
}

function wordsBefore({ source, words }: Segment): string[] {
  const typed = source.trim().toLowerCase().split(/\s+/, mostBefore);
  const at = typed.indexOf(words[0]?.toLowerCase() ?? "");
  return at < 0 ? [] : typed.slice(0, at);
}

const mostBefore = 12;

function forbidsUse(prohibition: Prohibition, use: Use): boolean {
  if (use.writes.some((path) => forbidsPath(prohibition, path))) return true;
  if (namesProgramAlone(prohibition, use)) return true;
  if (use.families.length === 0) return false;
  const { object, clause } = prohibition;
  if (spansOf(object).some((span) => isUsed(span, use))) return true;
  if ((object.match(option) ?? []).some((word) => hasOption(use, word))) return true;
  if (addsPackage(use) && dependency.test(clause) && isNew.test(clause)) return true;
  return namesProgram(object, use) || namesOperation(object, use);
}

// "Never use sudo", "never make": any program, also one whose name is an ordinary word. "Don't look" forbids none.
function namesProgramAlone({ object, clause }: Prohibition, { programs, before }: Use): boolean {
  const [, verb, name = ""] = alone.exec(object) ?? [];
  if (verb === undefined && !neverAlone.test(clause)) return false;
  return programs.has(name.toLowerCase()) || before.includes(name.toLowerCase());
}

const alone =
  /^\W*(?:(?:ever|please|to) )?(use|using|run|running|call|calling|invoke|execute|launch)? ?`?([a-z][\w.-]*?)`?(?: (?:here|again|ever|at all|directly|for anything|yourself|any ?more|in this (?:project|repo|repository)))?[\s.!]*$/i;
const neverAlone =
  /^\W*(?:and |but )?(?:never|no|not|nie|nunca|jamais|instead of|rather than)\s+`?[a-z][\w.-]*`?(?: (?:here|again))?\W*$/i;

/** A command in a rule's code marks. */
interface CodeSpan {
  text: string;
  words: readonly string[];
  families: readonly string[];
}

// Every command is matched against all rules, and reading a span takes about 10 µs.
const spansOf = remembering(
  (object: string): CodeSpan[] =>
    Array.from(object.matchAll(codeSpan), ([, text = ""]) => ({
      text: text.trim(),
      words: text.toLowerCase().split(/\s+/),
      families: commandFamily(text),
    })),
  1_000,
);

// `git push --force`: the command with all its options.
function isUsed({ text, words, families }: CodeSpan, use: Use): boolean {
  if (words.some((word) => word.startsWith("-") && !hasOption(use, word))) return false;
  if (families.length === 0) return words.length === 1 && use.programs.has(words[0] ?? "");
  return families.some(
    (family) => use.families.includes(family) || (family.split(" ")[0] === text && use.programs.has(text)),
  );
}

function hasOption({ words }: Use, option: string): boolean {
  return words.some((word) => word === option || word.startsWith(`${option}=`));
}

function addsPackage({ families, words }: Use): boolean {
  const operands = words.filter((word) => !/^-|^\.|\//.test(word) || /^@|\.\w+\//.test(word));
  return operands.length > 2 && families.some((family) => packageCommand.test(family));
}

// A program's name, unless the next word makes it the name of something else: another sub-command, "npm scripts".
function namesProgram(object: string, use: Use): boolean {
  const tokens = tokensOf(object);
  return tokens.some((token, at) => {
    if (!use.programs.has(token) || commonWords.has(token)) return false;
    const next = tokens[at + 1];
    if (next === undefined || use.words.includes(next)) return true;
    return !subcommands.has(next) && (isFunctionWord(next) || fillers.has(next) || !/^[a-z]/.test(next));
  });
}

// "no one pushes to main": the operation; the branch or environment, where the rule names one, is that of the command.
function namesOperation(object: string, use: Use): boolean {
  for (const [verb, pattern] of operations) {
    if (!use.verbs.has(verb) || (verb === "apply" && use.programs.has("git"))) continue;
    const match = pattern.exec(object);
    if (match === null) continue;
    if (/force/i.test(object) && !use.words.some((word) => /^--force|^-f$/.test(word))) continue;
    const targets = [...object.matchAll(target)].map(([, after, before]) =>
      (after ?? before ?? "").toLowerCase(),
    );
    const named = targets.filter((name) => !isFunctionWord(name) && !fillers.has(name));
    if (named.length > 0) {
      if (named.some((name) => use.names.has(name))) return true;
      continue;
    }
    const next = tokensOf(object.slice(match.index + match[0].length))[0];
    if (next === undefined || isFunctionWord(next) || fillers.has(next) || use.names.has(next)) return true;
  }
  return false;
}

function tokensOf(text: string): string[] {
  return (text.toLowerCase().match(/[a-z0-9_@][\w@./-]*[\w/]|[a-z0-9_]|[^\s\p{P}a-z0-9]+/gu) ?? []).map(
    (word) => word.replace(/\.$/, ""),
  );
}

const codeSpan = /`([^`\n]{1,160})`/g;
const option = /(?<![\w-])--[a-z][\w-]+/g;
// A preposition of direction and the name after it.
const target =
  /(?:(?<![\p{L}\p{N}])(?:to|into|onto|in|nach|auf|ins?|(?<!(?:from|on|by|with|of|for|is|as) )a|en|dans|sur|vers|para|em|na|в|на)\s+(?:the |den |die |das |dem |la |le |el |o |a )?|到\s*|往\s*)`?([a-z][\w./-]*)|([a-z][\w./-]*)`?\s*(?:に|へ|分支|ブランチ)/giu;
const dependency =
  /(?<![\w-])(?:dependenc(?:y|ies)|third[- ]party|packages?|librar(?:y|ies)|(?:npm|go|python) modules?|abhängigkeit(?:en)?|pakete?|bibliothek(?:en)?|dependencias?|paquetes?|bibliotecas?|librerías?|dépendances?|paquets?|bibliothèques?|dependências?|pacotes?|зависимост\p{L}*|библиотек\p{L}*|пакет\p{L}*)(?![\w-])|依赖|库|依存|ライブラリ|パッケージ/iu;
const isNew =
  /(?<![\p{L}])(?:new|any|add(?:ing|s)?|install\w*|pull(?:ing)?|introduc\w+|more|extra|zero|neue\w*|hinzu\w*|weitere\w*|nuev\w+|añad\w+|agreg\w+|nouve\w+|ajout\w+|nov[oa]s?|adicion\w+|нов\p{L}+|добав\p{L}+|став\p{L}+|third[- ]party)(?![\p{L}])|新|添加|引入|增加|追加|入れ/iu;
const packageCommand =
  /^(?:npm|pnpm|yarn|bun|pip|uv|uv pip|poetry|pipenv|pdm|conda|cargo|go|gem|bundle|composer|dotnet|mix|flutter|dart) (?:install|add|get|require)$/;
// Programs whose names are ordinary words: only a code span names them.
const commonWords = setOf(
  "act at black cut date file find go hatch history join just kill less link look mail make man melt mix more node poetry run screen script sort split task test time watch which who write",
);
const fillers = setOf(
  "anymore directly direct direto ever instead yourself locally manually hier mehr direkt lokal aquí más directamente ici plus directement aqui mais diretamente",
);

/** True when the prohibition is about changing files and names this one, its folder, or a pattern that it fits. */
function forbidsPath({ object, clause }: Prohibition, path: string): boolean {
  if (!editVerb.test(clause) && !untouchable.test(clause)) return false;
  const names = object.match(nameInText) ?? [];
  return names.some((name) => {
    const bare = name.replace(/^`|[`.]+$/g, "");
    return isPathName(bare) ? fits(path, bare) : isFolder(path, bare);
  });
}

function isPathName(name: string): boolean {
  return /[/*]|^\.\w|\w\.[a-z]\w{0,7}$/i.test(name);
}

function fits(path: string, name: string): boolean {
  const bare = name.replace(/^(?:\.\/)+|\/+$/g, "");
  if (bare === "" || /^[./*]+$/.test(bare)) return false;
  return hasPart(path.replaceAll("\\", "/"), bare.match(/\*\*\/?|./gs) ?? []);
}

/**
 * True when some folders or files of the path, whole and in a row, fit the glob. Keeps all places of the glob that are
 * reached so far: a regular expression with many stars tries them one after the other, for minutes.
 */
function hasPart(path: string, glob: readonly string[]): boolean {
  let reached = new Set<number>();
  for (let at = 0; at <= path.length; at++) {
    const char = path[at];
    if (at === 0 || path[at - 1] === "/") reached.add(0);
    for (const place of reached) if (isStar(glob[place])) reached.add(place + 1);
    if ((char === undefined || char === "/") && reached.has(glob.length)) return true;
    const next = new Set<number>();
    for (const place of reached) {
      const mark = glob[place];
      if (isStar(mark) && (mark !== "*" || char !== "/")) next.add(place);
      else if (mark === char) next.add(place + 1);
    }
    reached = next;
  }
  return false;
}

function isStar(mark: string | undefined): boolean {
  return mark?.startsWith("*") === true;
}

// "never edit migrations": a folder by its name, in the singular or plural.
function isFolder(path: string, name: string): boolean {
  const wanted = name.toLowerCase();
  if (wanted.length < minFolderChars || generic.has(wanted)) return false;
  const folders = path.toLowerCase().split(/[\\/]/).slice(0, -1);
  return folders.some((folder) => folder === wanted || (folder.length > 4 && stem(folder) === stem(wanted)));
}

const minFolderChars = 3;
const nameInText = /`[^`\s]+`|[\p{L}\p{N}_@*.-][\p{L}\p{N}_@*./-]*/gu;
const untouchable = /off[- ]limits|read[- ]only|taboo|tabu/i;
const generic = setOf(
  "all any anything app code error file files here home lib main new out project projects src the thing this user users work",
);
