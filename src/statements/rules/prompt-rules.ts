// Finds the standing rules of a prompt, including rules in parentheses.
import { cueOf } from "../../text/cue-pattern.ts";
import type { Sentence } from "../text/sentences.ts";
import { nameMark, pathMark, readSentence } from "./read-sentence.ts";
import { isReplacement } from "./rule-wording.ts";
import { isExcluded, type SentenceContext, type Standing, standingOf } from "./standing.ts";

export interface PromptRule {
  /** The rule, with the sentence before it where it needs that one. */
  text: string;
  rule: Standing;
  /** Positions of the sentences in it. */
  from: number;
  at: number;
}

/** The rules of a prompt in order. A rule that the next sentence withdraws does not count. */
export function promptRulesIn(sentences: readonly Sentence[], context: SentenceContext): PromptRule[] {
  const rules: PromptRule[] = [];
  for (const { text, at } of sentences) {
    const next = sentences[at + 1]?.text;
    if (next !== undefined && withdrawsLast(next)) continue;
    const said = ruleIn(text, context) ?? replacementIn(sentences, at, rules);
    const last = rules.at(-1);
    if (said !== null) {
      const rule = withBefore({ ...said, from: at, at }, sentences, rules);
      rules.push({ ...rule, text: withoutOpening(rule.text, context) });
    } else if (last?.at === at - 1 && isOnAnswers(last.text) && ordersAnswer(text))
      rules.splice(-1, 1, { ...last, text: `${last.text} ${text}`, at });
  }
  return rules;
}

type Said = Pick<PromptRule, "text" | "rule">;

/** "Put the test there (tests live next to the code)": the rule is in the parentheses. */
function ruleIn(text: string, context: SentenceContext): Said | null {
  const whole = standingOf(text, context);
  const [found = "", inner = ""] = parenthesis.exec(text) ?? [];
  const isApart = inner !== "" && namesItsSubject(inner) && !isReported(text);
  const rule = isApart ? standingOf(inner, { ...context, prompt: inner }) : null;
  const isOfInner = rule !== null && standingOf(text.replace(found, " "), context) === null;
  if (isOfInner) return { text: inner, rule };
  return whole === null ? null : { text, rule: whole };
}

// "Forget the changelog lines from now on. A tool writes them. Instead start the subject with the ticket."
function replacementIn(
  sentences: readonly Sentence[],
  at: number,
  rules: readonly PromptRule[],
): Said | null {
  const text = sentences[at]?.text ?? "";
  const replaced = rules.find((rule) => rule.at < at && rule.at >= at - farthestReplaced);
  if (replaced === undefined || !givesReplacement(text) || !withdrawsHabit(replaced.text)) return null;
  return {
    text,
    rule: { standing: true, reach: "project", form: "do", isSure: replaced.rule.isSure, pointsBack: false },
  };
}

// "Same for all figures" needs the sentence before it. A withdrawal belongs to its replacement.
function withBefore(
  said: PromptRule,
  sentences: readonly Sentence[],
  rules: readonly PromptRule[],
): PromptRule {
  const before = sentences[said.at - 1]?.text;
  if (before === undefined) return said;
  const isFree = rules.every((rule) => rule.at !== said.at - 1);
  const isReplacing = isFree && isReplacement(said.text) && withdrawsHabit(before);
  if (!said.rule.pointsBack && !isReplacing) return said;
  return { ...said, text: `${before} ${said.text}`, from: said.at - 1 };
}

// "No no, we use pnpm here", "passt, aber: Bezeichner immer englisch": the rule begins behind the reply.
function withoutOpening(text: string, context: SentenceContext): string {
  const rest = text.replace(opening, "");
  return rest !== text && standingOf(rest, context) !== null ? rest : text;
}

const reply = cueOf({
  words: `no(?: no)*|nope|nah|ok|okay|hm+|ah|oh|well|wait|yes|yep|omg|thanks|thank you|looks good|lgtm|nice|great|perfect|good|cool|fine|
    heads up|by the way|btw|fyi|note(?: that)?|but|and|also|so|one (?:more )?thing(?: \\p{L}+){0,5}(?= ?:)|
    nein|nee?|ja|passt|gut|super|danke|prima|genau|aber|und|übrigens|ach|hinweis|noch (?:et)?was|
    sí|bien|vale|perfecto|gracias|genial|pero|por cierto|ojo|non|oui|parfait|merci|mais|au fait|attention|
    não|sim|bom|ótimo|perfeito|obrigad[oa]|valeu|mas|aliás|tá|нет|да|хорошо|отлично|спасибо|но|кстати|ладно|так`,
  runs: "不对|不是|好的?|谢谢|很好|对了|另外|いいえ|いや|違います|ありがとう(?:ございます)?|いいですね|はい|ちなみに",
}).source;
const opening = new RegExp(`^(?:(?:${reply})\\s*[,.:;!…–—、，：。！]+\\s*)+|^(?:omg|pls|plz|btw|fyi) `, "i");

const farthestReplaced = 2;
const parenthesis = /[(（]([^()（）]{16,300})[)）]/;

/** True for a rule about what the agent writes to the user. */
function isOnAnswers(rule: string): boolean {
  return readSentence(rule).some(({ whole }) => whole.has("answer"));
}

/** True for a sentence on the order of an answer: "cause first, then the change". Counts only after a rule on answers. */
function ordersAnswer(sentence: string): boolean {
  return readSentence(sentence).some((read) => !isExcluded(read) && read.whole.has("order"));
}

/**
 * True for words in parentheses that name what they are about: "tests live beside the code". Not for "is in old/" and
 * "the new ones too", which speak of the sentence around them, and not for where one file is.
 */
function namesItsSubject(inner: string): boolean {
  return readSentence(inner).some(({ whole }) => whole.has("artifact") && !oneFile.test(whole.text));
}

/** True for a sentence that quotes another person. */
function isReported(sentence: string): boolean {
  return readSentence(sentence).some(({ whole }) => whole.has("reported"));
}

/** True for a sentence that withdraws what was said just before it: "nah, forget it". */
function withdrawsLast(sentence: string): boolean {
  return readSentence(sentence).some(({ clauses }) => clauses.some(({ has }) => has("takenBack")));
}

/** True for a sentence that gives up a habit: "drop the prefixes". Not for one that names a file to change. */
function withdrawsHabit(sentence: string): boolean {
  return readSentence(sentence).some(
    ({ whole, clauses }) =>
      !whole.text.includes(pathMark) &&
      clauses.some(({ has }) => has("withdraws")) &&
      (whole.has("artifact") || whole.text.includes(nameMark)),
  );
}

/** True for a sentence that replaces a habit: "instead start the subject with the ticket". */
function givesReplacement(sentence: string): boolean {
  return readSentence(sentence).some(
    (read) =>
      !isExcluded(read) && read.clauses.some(({ has }) => has("instead")) && read.whole.has("artifact"),
  );
}

const oneFile = new RegExp(`(?<!${pathMark})${pathMark}(?!${pathMark})`);
