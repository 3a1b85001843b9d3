// Names of secrets: judges by its words whether a name marks its value as secret.

/** What the name says about its value: a password may be a plain word, what is called auth or signature must look random. */
export type SecretName =
  | "password"
  | "secret"
  | "api-key"
  | "token"
  | "authorization"
  | "credential"
  | "signature";

/** Words with which a secret's name ends. */
export const secretNameWords = [
  "pass",
  "pwd",
  "secret",
  "token",
  "key",
  "credential",
  "auth",
  "signature",
  "sig",
  "pat",
];

/** Where the name ends whose last word begins at `start`; undefined where the word ends no name. */
export function nameEndAt(text: string, start: number): number | undefined {
  lastWord.lastIndex = start;
  return lastWord.test(text) ? lastWord.lastIndex : undefined;
}

/** What the name whose last word begins at `start` says about its value; undefined for ordinary names. */
export function secretNameAt(text: string, start: number): SecretName | undefined {
  firstLetters.lastIndex = start;
  const found = firstLetters.exec(text)?.[0];
  return found === undefined ? undefined : secretName(text, start, found);
}

/** What the key of a JSON leaf, a flag or a variable says about its value; undefined for ordinary names. */
export function secretNameOf(key: string): SecretName | undefined {
  const found = wordAtEnd.exec(key);
  return found === null ? undefined : secretName(key, found.index, found[1] ?? "");
}

const word =
  "pass(?:w(?:or)?d|phrase|code)?|pwd|secret|token|key|credentials?|authorization|auth|signature|sig|pat";
const variant =
  "(?:[-_ ]base|[-_]?(?:base|\\d{1,3}|v\\d|prod(?:uction)?|dev|test|staging|live|old|new|value|string|confirm(?:ation)?))?";
const lastWord = new RegExp(`(${word})${variant}(?=[\\s"'\`\\\\=:%>(),?\\]!|/]|$)`, "iy");
const firstLetters = new RegExp(word, "iy");
const wordAtEnd = new RegExp(`(${word})s?${variant}$`, "i");

function secretName(text: string, start: number, found: string): SecretName | undefined {
  const lower = found.toLowerCase();
  if (lower.startsWith("passw") || lower.startsWith("passp")) return "password";
  if (lower.startsWith("pass") || lower === "pwd")
    return standsAlone(text, start, found) ? "password" : undefined;
  if (lower === "secret" || lower.startsWith("credential")) return "secret";
  if (lower === "token") return behind(harmlessToken, text, start) ? undefined : "token";
  if (lower === "key") return keyName(text, start);
  if (lower === "authorization") return "authorization";
  if (lower === "auth" || lower === "pat") return standsAlone(text, start, found) ? "credential" : undefined;
  return behind(signatureLead, text, start) ? "signature" : undefined;
}

// Keys that open something; the key of a map, a cache or a table does not.
const openingKey = lookBehind(
  "api access secret private encrypt encryption sign signing master account storage service subscription shared auth license deploy admin app application consumer webhook session jwt hmac aes function functions crypt cipher integration ingest routing client rsa ssh write read send rest",
);
// Tokens of parsers, models, pages and themes.
const harmlessToken = lookBehind(
  "page next previous prev continuation cursor syntax lex eos bos pad unk sep mask cls start end stop special image max min num total design theme color sync cancellation cancel abort keyword comment string first last current peek punctuator expected unexpected injection",
);
const signatureLead = /(?<=[?&;](?:x-\w{1,10}-)?)/iy;

function keyName(text: string, start: number): SecretName | undefined {
  if (behind(openingKey, text, start)) return "api-key";
  return /[?&]/.test(text.charAt(start - 1)) ? "signature" : undefined;
}

// `pass` in db_pass and dbPass, not in bypass.
function standsAlone(text: string, start: number, found: string): boolean {
  const before = text.charAt(start - 1);
  return !/[A-Za-z0-9]/.test(before) || (/[a-z0-9]/.test(before) && /^[A-Z][a-z]/.test(found));
}

// Looking back from one place costs a fraction of searching a slice for an end.
function lookBehind(words: string): RegExp {
  return new RegExp(`(?<=(?:${words.split(" ").join("|")})[-_. ]?)`, "iy");
}

/** Whether what `pattern`, sticky and all lookbehind, asks for stands right before `at`. */
export function behind(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}
