// The clauses of a sentence, and which classes of wording each of them has.
import { setOf } from "../../core/tools/name-lists.ts";
import { cueOf } from "../../text/cue-pattern.ts";
import { fileEndings } from "../../text/file-name.ts";
import type { Cue, RuleWords } from "./rule-words.ts";
import { german } from "./words-de.ts";
import { english } from "./words-en.ts";
import { spanish } from "./words-es.ts";
import { french } from "./words-fr.ts";
import { japanese } from "./words-ja.ts";
import { portuguese } from "./words-pt.ts";
import { russian } from "./words-ru.ts";
import { chinese } from "./words-zh.ts";

/** A clause or a whole sentence; `has` tells whether it has wording of a class. */
export type Clause = ReturnType<typeof clauseOf>;

export interface ReadSentence {
  whole: Clause;
  clauses: Clause[];
  /** Ends with a question mark. */
  asks: boolean;
}

/** Reads a sentence in its likeliest languages, at most two; `around` is the text that it is from, in one language. */
export function readSentence(sentence: string, around = ""): ReadSentence[] {
  const masked = maskNames(sentence.slice(0, maxRead));
  return likelyLanguages(masked, around.slice(0, maxRead)).map((language) => {
    const parts = masked.split(language.isSpaced ? clauseEnd : unspacedClauseEnd);
    return {
      whole: clauseOf(masked, "", language),
      clauses: parts.flatMap((part, at) =>
        at % 2 === 0 && /[\p{L}§¶]/u.test(part)
          ? [clauseOf(part, parts[at + 1]?.trim() ?? "", language)]
          : [],
      ),
      asks: /[?？]["'”»）)\s]*$/.test(sentence),
    };
  });
}

/** Stands for a code span or an identifier in masked text. */
export const nameMark = "§";
/** Stands for a path or a file in masked text; twice for a folder or several files. */
export const pathMark = "¶";
/** Stands for a folder that few projects edit by hand. */
export const keptFolderMark = "¶¶¶";

// Some patterns below are quadratic in the length of a word.
const maxRead = 2_000;

// Quotations, code and paths are names: their wording does not count.
function maskNames(sentence: string): string {
  return sentence
    .replace(/[§¶]/g, " ")
    .replace(quoted, (whole: string) => (whole.length > 14 ? `"${nameMark}"` : whole))
    .replace(/(?<![\w/])(?:node_modules|third_party)(?![\w/])/g, keptFolderMark)
    .replace(/`([^`]{1,200})`/g, (_, code: string) => (isPath(code) ? pathMarkOf(code) : nameMark))
    .replace(/\b\w{1,60}\([^()\s]{0,40}\)/g, nameMark)
    .replace(/[\w@~.*{}<>$-]*(?:\/[\w@~.*{}<>$-]*)+|[\w@*-]+(?:\.[\w*-]+)+/g, (word) => maskOf(word));
}

function maskOf(word: string): string {
  const end = word.endsWith(".") ? "." : "";
  const bare = word.slice(0, word.length - end.length);
  if (bare.includes("/")) return (isPath(bare) ? pathMarkOf(bare) : bare) + end;
  if (/^[\d.,]+$/.test(bare)) return word;
  return (fileName.test(bare) ? pathMarkOf(bare) : nameMark) + end;
}

function pathMarkOf(path: string): string {
  if (keptFolder.test(path)) return keptFolderMark;
  return fileName.test(path.split("/").at(-1) ?? "") && !path.includes("*") ? pathMark : pathMark.repeat(2);
}

function isPath(text: string): boolean {
  return /^[\w@~.*{}<>$/-]*\/[\w@~.*{}<>$/-]*$/.test(text)
    ? !/^(?:and\/or|he\/she|n\/a|i\/o|yes\/no|on\/off|read\/write|input\/output|\d+\/\d+(?:\/\d+)?)$/i.test(
        text,
      ) && text.length > 2
    : fileName.test(text);
}

interface Language {
  isSpaced: boolean;
  patterns: ReadonlyMap<Cue, RegExp>;
}

function clauseOf(text: string, mark: string, { patterns }: Language) {
  const lower = text.toLowerCase();
  const known = new Map<Cue, number>();
  const find = (cue: Cue): number => {
    const at = known.get(cue) ?? patterns.get(cue)?.exec(lower)?.index ?? -1;
    known.set(cue, at);
    return at;
  };
  return {
    text /** The punctuation that ends it; empty at the end of the sentence. */,
    mark /** Where the wording begins, -1 without it. */,
    find,
    has: (cue: Cue) => find(cue) >= 0,
  };
}

function likelyLanguages(text: string, around: string): Language[] {
  if (/[\u3040-\u30ff]/.test(text)) return [languageOf(japanese)];
  if (/[\u4e00-\u9fff]/.test(text)) return [languageOf(chinese)];
  if (/[а-яё]/i.test(text)) return [languageOf(russian)];
  const likely = bestOf(latin, text);
  // "On staging" may be English or French: the sentences around it tell.
  return (likely.length > 1 ? bestOf(likely, around) : likely).slice(0, 2).map(languageOf);
}

function bestOf(languages: readonly RuleWords[], text: string): RuleWords[] {
  const words = text.toLowerCase().match(/[\p{L}'’]+/gu) ?? [];
  const scored = languages.map((language) => ({
    language,
    score: words.filter((word) => commonWords(language).test(word)).length,
  }));
  const best = Math.max(...scored.map(({ score }) => score));
  return scored.flatMap(({ language, score }) => (score === best ? [language] : []));
}

const languageOf = memoized((words: RuleWords): Language => {
  const isSpaced = words !== chinese && words !== japanese;
  const compiled = (list: string, start = ""): RegExp =>
    cueOf(isSpaced ? { words: list } : { runs: list }, start);
  const filler = compiled(`${words.filler}|${words.polite}`).source;
  const lead = `^[^\\p{L}0-9§¶]*(?:${filler}[^\\p{L}0-9§¶]+){0,4}`;
  const kind = `(?!(?:${words.single})(?!\\p{L}))[\\p{L}§-]+`;
  const patterns = new Map<Cue, RegExp>();
  for (const [cue, wording] of Object.entries(words) as [Cue, string][]) {
    const list = wording.replaceAll("<produce>", words.produce).replaceAll("<kind>", kind);
    const isOpening = isSpaced && openingCues.has(cue);
    const start = cue === "correction" ? "^[^\\p{L}0-9§¶]*" : lead;
    patterns.set(cue, compiled(list, isOpening ? start : ""));
  }
  return { isSpaced, patterns };
});

const commonWords = memoized(({ common }: RuleWords): RegExp => new RegExp(`^(?:${common})$`, "u"));

// Compiling the patterns of a language takes milliseconds.
function memoized<T>(read: (words: RuleWords) => T): (words: RuleWords) => T {
  const known = new Map<RuleWords, T>();
  return (words) => {
    const found = known.get(words) ?? read(words);
    known.set(words, found);
    return found;
  };
}

const latin = [english, german, spanish, french, portuguese];

// Matched where a clause begins.
const openingCues: ReadonlySet<string> = setOf(
  "question polite task product remember prohibit command lasting adopt noNoun correction general label takenBack withdraws instead",
);

const clauseEnd = /([,;:.!?](?=\s|$)|\s[-–—]+\s|[()])/;
const unspacedClauseEnd = /([，、；：。！？]|[,;:.!?](?=\s|$|[\u3040-\u9fff])|\s[-–—]+\s|[()（）])/;
const quoted =
  /"[^"]{0,400}"|“[^“”]{0,400}”|«[^«»]{0,400}»|„[^„“”]{0,400}[“”]|「[^「」]{0,400}」|『[^『』]{0,400}』|(?<=^|[\s(])'[^']{8,400}'(?=$|[\s).,;:!?])/gu;
const fileName = new RegExp(`^\\.?[\\w@*-][\\w@*.-]*\\.(?:${fileEndings}|env)$|^\\.env$|^[A-Z][a-z]*file$`);
const keptFolder =
  /(?:^|\/)(?:vendor|third_party|node_modules|gen|_*generated_*|dist|build|legacy|migrations)\/?(?:\*\*?)?$/;
