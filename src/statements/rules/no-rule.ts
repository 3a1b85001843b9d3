// Tells sentences that resemble a rule and are none: questions, one-offs, reports, guesses and wishes for the product.
import { cueOf } from "../../text/cue-pattern.ts";
import {
  chinese,
  english,
  french,
  german,
  japanese,
  portuguese,
  type RuleWords,
  russian,
  spanish,
} from "./rule-words.ts";

/** Reads the sentence in its likeliest languages, at most two; `around` is the text that it is from, in one language. */
export function isNoRule(sentence: string, around = ""): boolean {
  if (/[?？]["'”»）)\s]*$/.test(sentence) || quoted.test(sentence)) return true;
  return isSome(sentence, around, ({ limited, question, product }, plain, clauses) => {
    return limited.test(plain) || clauses.some((clause) => question.test(clause) || product.test(clause));
  });
}

/** True for a sentence about what the product does or shall do: "the legend never shows both names". */
export function isOfProduct(sentence: string, around: string): boolean {
  return isSome(sentence, around, ({ product }, _, clauses) =>
    clauses.some((clause) => product.test(clause)),
  );
}

type Reads = (language: Language, plain: string, clauses: readonly string[]) => boolean;

function isSome(sentence: string, around: string, reads: Reads): boolean {
  const plain = withoutNames(sentence.slice(0, maxRead)).toLowerCase();
  const languages = likelyLanguages(plain, around.slice(0, maxRead));
  return languages.some((language) => reads(language, plain, plain.split(language.clauseEnd)));
}

// Some patterns are quadratic in the length of a word.
const maxRead = 2_000;

// Code and paths are names: their wording does not count.
function withoutNames(sentence: string): string {
  return sentence
    .replace(/`[^`]{1,200}`|\b\w{1,60}\([^()\s]{0,40}\)/g, nameMark)
    .replace(/[\w@~.*{}<>$-]*(?:\/[\w@~.*{}<>$-]*)+|[\w@*-]+(?:\.[\w*-]+)+/g, (word) =>
      word.endsWith(".") ? `${nameMark}.` : nameMark,
    );
}

interface Language {
  /** One-offs, reports and guesses. */
  limited: RegExp;
  /** At the start of a clause, as the next. */
  question: RegExp;
  product: RegExp;
  clauseEnd: RegExp;
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
  const compiled = (list: string, start = "") => cueOf(isSpaced ? { words: list } : { runs: list }, start);
  const { filler, once, reported, doubt } = words;
  const lead = `^[^\\p{L}0-9${nameMark}]*(?:${compiled(filler).source}[^\\p{L}0-9${nameMark}]+){0,4}`;
  return {
    limited: compiled(`${once}|${reported}|${doubt}`),
    question: compiled(words.question, isSpaced ? lead : ""),
    product: compiled(words.product, isSpaced ? lead : ""),
    clauseEnd: isSpaced ? spacedClauseEnd : unspacedClauseEnd,
  };
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

const nameMark = "§";
const latin = [english, german, spanish, french, portuguese];
const spacedClauseEnd = /[,;:.!?](?=\s|$)|\s[-–—]+\s|[()]/;
const unspacedClauseEnd = /[，、；：。！？]|[,;:.!?](?=\s|$|[\u3040-\u9fff])|\s[-–—]+\s|[()（）]/;
// Longer than a name.
const quoted =
  /"[^"]{14,400}"|“[^“”]{14,400}”|«[^«»]{14,400}»|„[^„“”]{14,400}[“”]|「[^「」]{8,400}」|『[^『』]{8,400}』|(?<=^|[\s(])'[^']{14,400}'(?=$|[\s).,;:!?])/u;
