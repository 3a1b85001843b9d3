// Whether a standing rule, in the user's own words, forbids a command or an edit.
import { parseCommandLine, type Segment } from "../core/tools/command-line.ts";
import { isFunctionWord } from "../text/function-words.ts";
import { commandFamily, familiesOf, launched, programOf } from "./command-family.ts";
import { subcommands } from "./command-words.ts";
import type { ParsedRule } from "./parsed-rule.ts";
import { forbidsPath } from "./path-match.ts";
import { operations, type Prohibition } from "./prohibitions.ts";

export interface Action {
  command?: string;
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

/** A simple command as rules speak of it. */
interface Use {
  families: readonly string[];
  programs: ReadonlySet<string>;
  /** Sub-commands and targets. */
  verbs: ReadonlySet<string>;
  words: readonly string[];
  /** Operands, and the parts of `origin/main` and `HEAD:main`. */
  names: ReadonlySet<string>;
  writes: readonly string[];
}

function useOf(segment: Segment): Use {
  const words = launched(segment.words).map((word) => word.toLowerCase());
  const families = familiesOf(segment);
  const verbs = new Set(families.flatMap((family) => family.split(" ").slice(1)));
  const operands = words.slice(1).filter((word) => !word.startsWith("-") && !verbs.has(word));
  const groups = families.flatMap((family) => family.split(" ").slice(0, -1));
  return {
    families,
    programs: new Set(
      [segment.program, programOf(words[0] ?? ""), ...groups].map((name) => name.toLowerCase()),
    ),
    verbs,
    words,
    names: new Set(operands.flatMap((word) => [word, ...word.split(/[/:]/)])),
    writes: writtenBy(segment),
  };
}

function writtenBy({ program, words, writes }: Segment): string[] {
  const files = words.slice(1).filter((word) => !word.startsWith("-"));
  const own = writes.filter((path) => !path.startsWith("/dev/"));
  if (fileWriters.has(program)) return [...own, ...files];
  if (program === "cp" || program === "ln") return [...own, ...files.slice(-1)];
  if (program === "sed" && words.some((word) => /^-\w*i/.test(word))) return [...own, ...files.slice(-1)];
  if (program === "git" && gitWriters.has(words[1] ?? "")) return [...own, ...files.slice(1)];
  return own;
}

function forbidsUse(prohibition: Prohibition, use: Use): boolean {
  if (use.writes.some((path) => forbidsPath(prohibition, path))) return true;
  if (use.families.length === 0) return false;
  const { object, clause } = prohibition;
  if ([...object.matchAll(codeSpan)].some(([, span = ""]) => isUsed(span, use))) return true;
  if ((object.match(option) ?? []).some((word) => hasOption(use, word))) return true;
  if (addsPackage(use) && dependency.test(clause) && isNew.test(clause)) return true;
  return namesProgram(object, use) || namesOperation(object, use);
}

// `git push --force`: the command with all its options.
function isUsed(span: string, use: Use): boolean {
  const families = commandFamily(span);
  const words = span.toLowerCase().split(/\s+/);
  if (words.some((word) => word.startsWith("-") && !hasOption(use, word))) return false;
  if (families.length === 0) return words.length === 1 && use.programs.has(words[0] ?? "");
  return families.some((family) => use.families.includes(family) || isBareProgram(family, span, use));
}

function isBareProgram(family: string, span: string, use: Use): boolean {
  return family.split(" ")[0] === span.trim() && use.programs.has(span.trim());
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

// "nobody pushes to main": the operation; the branch or environment, where the rule names one, is that of the command.
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
// A preposition of direction and the name behind it.
const target =
  /(?:(?<![\p{L}\p{N}])(?:to|into|onto|in|nach|auf|ins?|(?<!(?:from|on|by|with|of|for|is|as) )a|en|dans|sur|vers|para|em|na|в|на)\s+(?:the |den |die |das |dem |la |le |el |o |a )?|到\s*|往\s*)`?([a-z][\w./-]*)|([a-z][\w./-]*)`?\s*(?:に|へ|分支|ブランチ)/giu;
const dependency =
  /(?<![\w-])(?:dependenc(?:y|ies)|third[- ]party|packages?|librar(?:y|ies)|(?:npm|go|python) modules?|abhängigkeit(?:en)?|pakete?|bibliothek(?:en)?|dependencias?|paquetes?|bibliotecas?|librerías?|dépendances?|paquets?|bibliothèques?|dependências?|pacotes?|зависимост\p{L}*|библиотек\p{L}*|пакет\p{L}*)(?![\w-])|依赖|库|依存|ライブラリ|パッケージ/iu;
const isNew =
  /(?<![\p{L}])(?:new|any|add(?:ing|s)?|install\w*|pull(?:ing)?|introduc\w+|more|extra|zero|neue\w*|hinzu\w*|weitere\w*|nuev\w+|añad\w+|agreg\w+|nouve\w+|ajout\w+|nov[oa]s?|adicion\w+|нов\p{L}+|добав\p{L}+|став\p{L}+|third[- ]party)(?![\p{L}])|新|添加|引入|增加|追加|入れ/iu;
const packageCommand =
  /^(?:npm|pnpm|yarn|bun|pip|uv|uv pip|poetry|pipenv|pdm|conda|cargo|go|gem|bundle|composer|dotnet|mix|flutter|dart) (?:install|add|get|require)$/;
const fileWriters = new Set(["rm", "mv", "tee", "touch", "truncate", "unlink"]);
const gitWriters = new Set(["rm", "mv", "restore"]);
// Programs whose names are ordinary words: only a code span names them.
const commonWords = new Set(
  "act at black cut date file find go hatch history join just kill less link look mail make man melt mix more node poetry run screen script sort split task test time watch which who write".split(
    " ",
  ),
);
const fillers = new Set(
  "anymore directly direct direto ever instead yourself locally manually hier mehr direkt lokal aquí más directamente ici plus directement aqui mais diretamente".split(
    " ",
  ),
);
