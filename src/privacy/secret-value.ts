// Judges whether the value of a secret's name is a secret, or code, a reference, a word, a placeholder.
import { startsRedacted } from "./placeholder.ts";
import type { SecretName } from "./secret-names.ts";

/** A secret's place in a text, and its kind. */
export interface SecretSpan {
  start: number;
  end: number;
  kind: string;
}

/**
 * How the value stands there: `given` where nothing but a value can stand (quotes, JSON, an environment variable), `bare`
 * where code or prose can stand as well, `loose` where the name does not even assign it.
 */
export type ValueForm = "given" | "bare" | "loose";

/** True if the value must be redacted. */
export function isSecretValue(value: string, name: SecretName, form: ValueForm): boolean {
  if (value.length < 4) return false;
  if (words.test(value)) return isSecretWord(value, name, form) && !isReference(value);
  if (/\s/.test(value)) return name === "password" && form === "given" && isPassphrase(value);
  // Bare, only what no identifier looks like: what names and signs make up is turned away before it is looked at closely.
  if (form !== "given" && !/[\d@#%^*+]|.!/.test(value) && !isDense(value)) return false;
  if (isReference(value)) return false;
  if (/^[\d.,:]+$/.test(value)) return form === "given" && /^\d+$/.test(value) && isLongNumber(value, name);
  if (isTechnicalWord(value)) return false;
  if (form === "loose") return value.length >= 10 && looksRandom(value);
  if (name === "signature")
    return /^(?:[\w+/=.-]|%(?:2[BF]|3D))+$/i.test(value) && value.length >= 16 && looksRandom(value);
  if (name === "credential" || name === "authorization")
    return value.length >= (form === "given" ? 8 : 16) && looksRandom(value);
  const shortest = name === "password" ? (form === "given" ? 5 : 6) : 8;
  if (value.length < shortest) return false;
  if (form === "given" || isDense(value)) return true;
  return !isExpression(value) && /[A-Za-z]/.test(value);
}

const words = /^_*[A-Za-z]+(?:[-_./:][A-Za-z]+)*[!?:]?$/;

/** True for what people do not write: letters and digits in turn, or upper and lower case all over. */
export function looksRandom(value: string): boolean {
  if (
    /\d[\s\S]*\d/.test(value) &&
    /[A-Za-z]/.test(value) &&
    !/^[a-z]+(?:[-_.][a-z]+)*[-_.]?\d{1,4}$/i.test(value)
  )
    return true;
  return value.length >= 12 && mixesCase(value);
}

// A variable, a template, a mask, an example: what stands in for a secret is none.
function isReference(value: string): boolean {
  if (startsRedacted(value)) return true;
  if (/^--?[a-z][a-z-]*$|^[$%<{[(&@]|^#\{|\$\{|\{\{|\$\(/.test(value)) return !isSprinkled(value);
  if (/^(.)\1+$|^[*.•]{3}|^[xX]{4}|^[xX_-]{3,}$|(?:\.\.\.|…|\*{3})$/.test(value)) return true;
  if (/^(?:your|example|dummy|sample|placeholder|insert|replace|enter|change)[-_ ]?/i.test(value))
    return !looksRandom(value);
  if (/^(?:process\.env|import\.meta|os\.environ|env[.:]|secrets?\.|vault:|op:\/\/|arn:|file:)/i.test(value))
    return true;
  return /^https?:\/\/[^@]*$/i.test(value) || isPath(value);
}

// `$ecret1!` begins like a variable and is none.
function isSprinkled(value: string): boolean {
  return (
    /^[$%@&(]\w/.test(value) && /[A-Za-z]/.test(value) && /\d/.test(value) && /[!@#%^&*]/.test(value.slice(1))
  );
}

function isPath(value: string): boolean {
  if (value.length >= 24 && mixesCase(value)) return false;
  if (/^[A-Za-z]:\\|^(?:~|\.{1,2})\//.test(value)) return true;
  return (
    /^(?:\/[\w.@+-]{1,24}){2,}\/?$/.test(value) ||
    /\.(?:pem|key|crt|json|ya?ml|txt|env|[jt]sx?|py|go|rs)$/.test(value)
  );
}

function isLongNumber(value: string, name: SecretName): boolean {
  return name === "password" ? value.length >= 6 : value.length >= 16;
}

// Letters only. A password may be a word, if it is not one of those that people write about passwords.
function isSecretWord(value: string, name: SecretName, form: ValueForm): boolean {
  if (value.length >= 16 && value.split(/[-_./:]/).some((part) => part.length >= 16 && mixesCase(part)))
    return true;
  if (name !== "password" || form !== "given" || value.length < 5) return false;
  return !/[./:]/.test(value) && !aboutPasswords.test(value) && !commonWords.has(value.toLowerCase());
}

// Several plain words, and no sentence.
function isPassphrase(value: string): boolean {
  return /^[a-z\d]+(?: [a-z\d]+){2,9}$/.test(value) && !sentence.test(value);
}

const sentence =
  /pass|secret|token|login|requir|valid|\b(?:a|an|the|this|is|are|was|be|to|of|in|on|at|for|with|must|may|can|please|you|your|it|not|and|or)\b/;
const aboutPasswords =
  /pass|pwd|secret|token|key|cred|auth|string|text|value|field|input|hash|null|void|user|name|login|type|valid|correct|requir|option|chang|reset|forgot|confirm|match|fail|error|miss|empty|hidden|encrypt|mask|redact|plain|default|enabl|disabl/i;

const commonWords = new Set(
  "false other admin number boolean object unknown never always symbol bigint undefined integer varchar prompt stdin vault manual email model props state self this local blank short strong medium label title dummy".split(
    " ",
  ),
);

function isTechnicalWord(value: string): boolean {
  return /^(?:u?int\d+|float\d+|utf-?\d+|sha-?\d+|md5|base\d+(?:url)?|oauth2?|argon2\w*|bcrypt\w*|scrypt|pbkdf2|aes-?\d+\S*|hs\d+|rs\d+|es\d+|ed25519|x509|v\d+|h\d)$/i.test(
    value,
  );
}

// Calls, property chains, generics, operators: code that computes the value.
function isExpression(value: string): boolean {
  return (
    /[()[\]{}<>|]|=>|\?\.|^[!&*+-]/.test(value) ||
    (/^[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*)+[!?]?$/.test(value) && !longRandomPart.test(value)) ||
    /^[A-Za-z_]*(?:password|passwd|pwd|secret|token|key)s?_?\d{0,3}$/i.test(value)
  );
}

// A token can have a dot in it: no property is called that.
const longRandomPart = /(?:^|[.>:])(?=(?:[A-Za-z]*\d){3})[A-Za-z\d]{16,}(?:$|[.:-])/;

// Long, unbroken, and of every kind of letter: no variable is named like that.
function isDense(value: string): boolean {
  if (!/^[\w+/=-]{20,}$/.test(value)) return false;
  return mixesCase(value) || (/(?:\d.*){3}/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value));
}

// Two letters in five begin or end a capital: more than camel case has.
function mixesCase(value: string): boolean {
  let changes = 0;
  let before = 0;
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at);
    const kind = code >= 0x61 && code <= 0x7a ? lowerCase : isCapitalOrDigit(code) ? capital : 0;
    if (before + kind === lowerCase + capital) changes++;
    before = kind;
  }
  return changes * 5 > value.length * 2;
}

const lowerCase = 1;
const capital = 4;

function isCapitalOrDigit(code: number): boolean {
  return (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39);
}
