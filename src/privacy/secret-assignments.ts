// Secrets found by their name: assignments, JSON, YAML, flags, query strings, calls, prose.
import { behind, nameEndAt, secretNameAt } from "./secret-names.ts";
import { beginsKeyBlock } from "./secret-pem.ts";
import { isSecretValue, type SecretSpan, type ValueForm } from "./secret-value.ts";

/** The secret that is assigned to the name in which one of `secretNameWords` begins at `start`. */
export function namedSecret(text: string, start: number): SecretSpan | undefined {
  const end = nameEndAt(text, start);
  if (end === undefined || !maySay(text, start, end)) return undefined;
  const name = secretNameAt(text, start);
  if (name === undefined) return undefined;
  const value = assigned(text, start, end) ?? mentioned(text, start, end);
  if (value === undefined || beginsKeyBlock(text, value.start)) return undefined;
  if (value.form === "bare" && /[([]/.test(text.charAt(value.end))) return undefined;
  const secret = isSecretValue(text.slice(value.start, value.end), name, value.form);
  return secret ? { start: value.start, end: wholeEnd(text, value.start, value.end), kind: name } : undefined;
}

const afterSpace = /\s{1,80}(?:[=:"'`\\,;(|?>]|is|was|to|or|value)/iy;

// Most names in prose and code are followed by a space and by nothing that could give them a value.
function maySay(text: string, start: number, end: number): boolean {
  const next = text.charCodeAt(end);
  if (next !== 0x20 && next !== 0x0a) return true;
  if (match(afterSpace, text, end) !== undefined) return true;
  return mayBeArgument(text, start) && (behind(flag, text, start) || behind(variable, text, start));
}

// A word in prose stands behind a space that stands behind a word, and that is not `export`, `ENV` or `set -x`.
function mayBeArgument(text: string, start: number): boolean {
  if (text.charCodeAt(start - 1) !== 0x20) return true;
  return "VGxt".includes(text.charAt(start - 2)) || text.charAt(start - 3) === "-";
}

/** The end of the word that a value was judged by the first 128 characters of. */
export function wholeEnd(text: string, start: number, end: number): number {
  if (end - start < 120) return end;
  restOfWord.lastIndex = end;
  return restOfWord.test(text) ? restOfWord.lastIndex : end;
}

const restOfWord = /[^\s"'`,;<>()\]}\\]*/y;

interface Value {
  start: number;
  end: number;
  form: ValueForm;
}

const quote = "\\\\{0,3}[\"'`]";
const assignment = new RegExp(
  `(?:${quote})?\\]?[ \\t]{0,8}[?!]?(=>|:=|(?:\\|\\||\\?\\?)?={1,3}|:(?!:)|%3[ad])`,
  "iy",
);
const nested = /[ \t?&]{0,4}[\w-]{0,16}?(?:pass(?:word)?|pwd|secret|token|key|auth|pat|sig)[=:]/iy;
const openQuote = new RegExp(`\\s{0,80}[bBrRuUfF@]{0,2}(${quote})`, "y");
const typedQuote = new RegExp(`[ \\t]{0,4}[A-Za-z_][\\w.<>[\\]|? ]{0,40}?=[ \\t]{0,4}(${quote})`, "y");
const blockScalar = /[ \t]{0,8}[|>][+-]?[ \t]{0,8}(?:\\n|\r?\n)[ \t]{1,80}/y;
const spaces = /[ \t]{0,8}/y;

// name = value, "name": "value", name: type = "value", name: | and the value on the next line.
function assigned(text: string, start: number, end: number): Value | undefined {
  const sign = match(assignment, text, end)?.[1];
  if (sign === undefined) return undefined;
  const at = assignment.lastIndex;
  // What is assigned is an assignment: its own name says more, and is met later.
  if (match(nested, text, at) !== undefined) return undefined;
  const open = match(openQuote, text, at)?.[1];
  if (open !== undefined) return quoted(text, openQuote.lastIndex, open, "given");
  const typed = sign === ":" ? match(typedQuote, text, at)?.[1] : undefined;
  if (typed !== undefined) return quoted(text, typedQuote.lastIndex, typed, "given");
  if (match(blockScalar, text, at) !== undefined) return bare(text, blockScalar.lastIndex, "given");
  // Without spaces, an upper-case name, a name alone on its line or one in a query string can only have a plain value.
  const tight = at === end + sign.length && sign !== ":" && !/\s/.test(text.charAt(at));
  if (tight && isUpperCase(text.slice(start, end))) return untilSpace(text, at, "given");
  match(spaces, text, at);
  const value = bare(text, spaces.lastIndex, "bare");
  if (value === undefined || !tight) return value;
  const alone = behind(lineStart, text, start) && lineEnd.test(text.slice(value.end, value.end + 2));
  return alone || behind(query, text, start) ? { ...value, form: "given" } : value;
}

function isUpperCase(name: string): boolean {
  return name === name.toUpperCase();
}

const lineStart = /(?<=(?:^|\n|\\n)[+-]?(?:export )?[\w.-]{0,40})/y;
const query = /(?<=[?&][\w.-]{0,40})/y;
const lineEnd = /^(?:$|\r|\n|\\[nr])/;

const pairedValue = new RegExp(
  `(?:${quote})?\\s{0,4}[,;]?\\s{0,80}(?:${quote})?value(?:${quote})?\\s{0,4}[:=]\\s{0,4}(${quote})?`,
  "iy",
);
const elementName = /(?<=<[\w:.-]{0,40})/y;
const flag = /(?<=(?:^|[\s"'`])--?[\w-]{0,40})/y;
const variable = /(?<=(?:^|\s)(?:ENV|ARG|setx|set -\w{1,4}|export) \w{0,40})/y;
const element = />\s{0,8}/y;
const flagSpace = new RegExp(`[ \\t]{1,4}(${quote})?`, "y");
const looseQuote = new RegExp(
  `(?:${quote})?[)\\]]{0,2}\\s{0,3}(?:,|\\|\\||\\?\\?|\\(|or |is |was |to )?\\s{0,3}(${quote})`,
  "iy",
);
const looseCell = /[`"']?[ \t]{0,40}\|[ \t]{0,4}`?/y;
const looseWord = /\s{1,3}(?:is|was)[: ]\s{0,3}/iy;

// <name>value</name>, { name, value }, --name value, ENV NAME value, name("value"), env("NAME", "value"), name is value.
function mentioned(text: string, start: number, end: number): Value | undefined {
  const next = text.charAt(end);
  if (next === ">") return behind(elementName, text, start) ? elementText(text, end) : undefined;
  const pair = match(pairedValue, text, end);
  if (pair !== undefined) {
    const at = pairedValue.lastIndex;
    return pair[1] === undefined ? bare(text, at, "bare") : quoted(text, at, pair[1], "given");
  }
  const argument = next === " " ? afterFlag(text, start, end) : undefined;
  if (argument !== undefined) return argument;
  const loose = match(looseQuote, text, end)?.[1];
  if (loose !== undefined) return quoted(text, looseQuote.lastIndex, loose, "loose");
  if (match(looseCell, text, end)) return bare(text, looseCell.lastIndex, "loose");
  return match(looseWord, text, end) ? bare(text, looseWord.lastIndex, "loose") : undefined;
}

function elementText(text: string, end: number): Value | undefined {
  match(element, text, end);
  const value = bare(text, element.lastIndex, "given");
  return value !== undefined && text.startsWith("</", value.end) ? value : undefined;
}

function afterFlag(text: string, start: number, end: number): Value | undefined {
  const isFlag = behind(flag, text, start);
  const isVariable = !isFlag && behind(variable, text, start);
  const space = isFlag || isVariable ? match(flagSpace, text, end) : undefined;
  if (space === undefined) return undefined;
  const at = flagSpace.lastIndex;
  if (space[1] !== undefined) return quoted(text, at, space[1], "given");
  return bare(text, at, isVariable ? "given" : "bare");
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

const longestValue = 8192;

// Up to the same quote, at the same level of escaping; a string that never ends is read up to the next space.
function quoted(text: string, start: number, open: string, form: ValueForm): Value | undefined {
  const most = Math.min(text.length, start + longestValue);
  for (let at = start; at < most; at++) {
    const code = text.charCodeAt(at);
    if (code === 10) break;
    if (code === 92 && !text.startsWith(open, at)) at++;
    else if (text.startsWith(open, at)) return { start, end: at, form };
  }
  return untilSpace(text, start, form);
}

// Judged by its beginning: text that is nothing but names and signs is not read to its end again and again.
const bareValue = /[^\s"'`,;<>(){}[\]|&\\]{1,128}/y;

function bare(text: string, start: number, form: ValueForm): Value | undefined {
  const value = match(bareValue, text, start)?.[0];
  if (value === undefined) return undefined;
  return { start, end: start + value.replace(/[.:]$/, "").length, form };
}

const unspaced = /[^\s"'`\\]{1,128}/y;

function untilSpace(text: string, start: number, form: ValueForm): Value | undefined {
  const value = match(unspaced, text, start)?.[0];
  if (value === undefined) return undefined;
  return { start, end: start + value.replace(/[;,)\]}]{1,8}$/, "").length, form };
}
