// Secrets that people type in sentences: passwords, card numbers, bank accounts.
import type { SecretSpan } from "./secret-value.ts";
import { isSecretValue } from "./secret-value.ts";

/** The secrets of these kinds in a text, in order. */
export function secretsInSentences(text: string): SecretSpan[] {
  const numbers = digits.test(text) ? [...accounts(text), ...cards(text)] : [];
  const spans = [...(mentions.test(text) ? passwords(text) : []), ...numbers];
  return spans.sort((a, b) => a.start - b.start);
}

// Most texts have neither, which two looks tell.
const digits = /\d{4}[ -]?\d{4}/;

// The names in English, German, French, Spanish, Portuguese, Russian, Chinese and Japanese.
const latin =
  "pass ?words?|passwd|passcode|passphrase|pwd?|passwort|kennwort|mot de passe|mdp|contraseña|clave|senha|palavra-passe|парол[ьяюе]м?";
const wide = "密码|密碼|口令|パスワード";
const names = `(?:(?<![\\p{L}\\d_.$-])(?:${latin})(?![\\p{L}\\d_(]|-\\p{L})(?: (?:nuev[oa]|neu|nouveau|nov[oa]))?|${wide})`;
const mentions = new RegExp(`pass|pwd?\\b|kennwort|mdp|contrase|clave|senha|парол|${wide}`, "iu");
const relations = "of|for|to|on|at|von|vom|für|zu|zum|der|des|pour|de|du|del|para|do|da|для|от|к";
const about = `(?: (?:${relations}) [^\\s,;:!?=]{1,40}(?: [^\\s,;:!?=]{1,40}){0,5}?)?`;
const is =
  "is now|is|was|are|(?:should|will|must|has to) be|to|from|lautet|heißt|ist|c'est|est|es|é|it's|это|为|是|は";
const says = `(?:[ \\t]{0,3}(?:[:=：→—–]|->)[ \\t]{0,3}|[ \\t]{1,3}(?:${is})[:：]?[ \\t]{1,3}|(?<=[${"码碼令ド"}])[ \\t]{0,3}(?:是|为|は)?[ \\t]{0,3}|[ \\t]{1,3}(?=\\S*\\d)(?!(?:field|step|test|form|input|page|version|entry|hash|rule|policy|v|id)_?\\d))`;
const value = "([\"'`“„«「])?([^\\s\"'`“”„«»「」，。、]{4,80})";
const named = new RegExp(`${names}${about}${says}${value}`, "giu");
const following = new RegExp(
  `(?<![^\\s"'\`])([^\\s"'\`,;:]{5,80})["'\`]? (?:is|as|als|ist|est|es|é|как) (?:the |my |our |a |das |le |la |el |o |a )?(?:[\\p{L}-]{2,20} ){0,2}?${names}`,
  "giu",
);

function passwords(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  const add = (start: number, typed: string, isQuoted: boolean) => {
    const secret = typed.replace(/[.,;:!?)\]]+$/, "");
    if (!isTypedPassword(secret, isQuoted)) return;
    spans.push({ start, end: start + secret.length, kind: "password" });
  };
  for (const found of text.matchAll(named)) {
    const typed = found[2] ?? "";
    add(found.index + found[0].length - typed.length, typed, found[1] !== undefined);
  }
  for (const found of text.matchAll(following))
    if (!isName(found[1] ?? "")) add(found.index, found[1] ?? "", false);
  return spans;
}

// Words, code and measures follow the name too: `the password is required`, `a password of 12-char`, `password: string`.
function isTypedPassword(typed: string, isQuoted: boolean): boolean {
  if (typed.length < 4 || notTyped.test(typed)) return false;
  if (/^\d+$/.test(typed)) return typed.length >= 6 && typed.length <= 12;
  if (!/\d/.test(typed)) {
    if (!isQuoted && !/[\p{L}][!@#$%^&*+][\p{L}]|\p{L}{3}[!@#$%^&*+]$/u.test(typed)) return false;
    return isSecretValue(typed, "password", isQuoted ? "given" : "bare");
  }
  if (!/\p{L}/u.test(typed)) return /[^\d.,:/-]/.test(typed);
  return isSecretValue(typed, "password", "given");
}

// A ticket, a commit or a column: "PR-77 is the password fix", "pw_hash2 AS password".
function isName(typed: string): boolean {
  return /^(?:[\p{L}]+-\d+|[0-9a-f]{6,40}|[a-z]+(?:_\w+)+|[a-z]+[A-Z]\w*)$/u.test(typed);
}

// Measures, dates, versions, ordinals, paths, calls, members, names in capitals, placeholders, and lists of file names.
const notTyped =
  /^(?:\d+(?:[.,]\d+)*[-–]?\p{L}{1,12}|\d{1,4}[-./]\d{1,2}[-./]\d{1,4}(?:T.*)?|v?\d+(?:\.\d+)+\S*|#\d+|[A-Z][A-Z_]*(?:_[A-Z\d]+)+|\[.*|<.*|\{.*|\$[\w{].*)$|[()<>{}=]|^[~.]?\/|^https?:|^[a-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+\d*$|\w\/\w.*\/\w|\.\w{1,4}:\d/u;

// Of the usual lengths and issuers, in groups or at one go, with a right check digit.
const cardNumber =
  /(?<![\w.+/=#-])(?:[45]\d{3}|2[2-7]\d\d|6(?:011|5\d\d)|35\d\d)([ -]?)\d{4}\1\d{4}\1\d{4}(?![\w-]|[.,]\d)|(?<![\w.+/=#-])3[47]\d\d([ -]?)\d{6}\2\d{5}(?![\w-]|[.,]\d)/g;
// A number at one go that is called an id or a time is none of a card.
const otherNumber =
  /(?:id|ref|order|ticket|number of \w+|run|build|trace|span|issue|time|ts|seed|hash|commit)["']?\W{0,3}$/i;

function cards(text: string): SecretSpan[] {
  return [...text.matchAll(cardNumber)].flatMap((found) => {
    const [number] = found;
    const before = text.slice(Math.max(0, found.index - 24), found.index);
    if (/^\d+$/.test(number) && otherNumber.test(before)) return [];
    if (!hasCheckDigit(number.replace(/\D/g, ""))) return [];
    return [{ start: found.index, end: found.index + number.length, kind: "card-number" }];
  });
}

// Luhn.
function hasCheckDigit(number: string): boolean {
  let sum = 0;
  for (const [at, digit] of [...number].reverse().entries()) {
    const doubled = Number(digit) * (at % 2 === 0 ? 1 : 2);
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0 && new Set(number).size > 1;
}

// The countries' codes with the length of their numbers.
const ibanLengths: Record<string, number> = Object.fromEntries(
  "AT20 BE16 BG22 CH21 CY28 CZ24 DE22 DK18 EE20 ES24 FI18 FR27 GB22 GR27 HR21 HU28 IE22 IL23 IS26 IT27 LI21 LT20 LU20 LV21 MC27 MT31 NL18 NO15 PL28 PT25 RO24 RS22 SA24 SE24 SI19 SK24 TR26 UA29 AE23 BR29"
    .split(" ")
    .map((row) => [row.slice(0, 2), Number(row.slice(2))]),
);
const iban = /(?<![\w/+=-])[A-Za-z]{2}\d{2}(?: ?[A-Za-z0-9]{1,4}){3,8}/g;

function accounts(text: string): SecretSpan[] {
  return [...text.matchAll(iban)].flatMap((found) => {
    const length = ibanLengths[found[0].slice(0, 2).toUpperCase()];
    const end = length === undefined ? 0 : endOfCharacters(found[0], length);
    const number = found[0].slice(0, end);
    if (end === 0 || /\w/.test(text.charAt(found.index + end)) || !hasRest(number)) return [];
    return [{ start: found.index, end: found.index + end, kind: "iban" }];
  });
}

function endOfCharacters(text: string, count: number): number {
  const found = new RegExp(`^(?: ?\\w){${count}}`).exec(text);
  return found?.[0].length ?? 0;
}

// The country and the check digits go to the end; letters count from 10; the rest by 97 is 1.
function hasRest(number: string): boolean {
  const plain = number.replaceAll(" ", "").toUpperCase();
  let rest = 0;
  for (const character of `${plain.slice(4)}${plain.slice(0, 4)}`) {
    const worth = Number.parseInt(character, 36);
    rest = (rest * (worth > 9 ? 100 : 10) + worth) % 97;
  }
  return rest === 1;
}
