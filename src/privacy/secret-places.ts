// Secrets found by context: passwords in URLs, Authorization and Cookie headers, Bearer tokens.
import { startsRedacted } from "./placeholder.ts";
import { wholeEnd } from "./secret-assignments.ts";
import type { SecretSpan } from "./secret-value.ts";
import { isSecretValue, looksRandom } from "./secret-value.ts";

/** The words at which these places are looked for, with what finds the secrets there. */
export const secretPlaces: readonly { words: readonly string[]; find: Find }[] = [
  { words: ["://", ":\\/\\/"], find: urlPassword },
  { words: ["authorization"], find: authorization },
  { words: ["bearer "], find: bearer },
  { words: ["cookie"], find: cookies },
];

type Find = (text: string, start: number) => readonly SecretSpan[];

const none: readonly SecretSpan[] = [];

// The last @ before the path ends the password; scheme, user and host stay, unless the user is a token itself, as in
// `https://ghp_…:x-oauth-basic@github.com`.
const userAndPassword = /(:\\?\/\\?\/[^\s/?#"'`<>@:[\\]{0,256}:)([^\s/?#"'`<>\\]{1,512})(?=@)/y;
const longUser = /(:\\?\/\\?\/)([^\s/?#"'`<>@:[\\]{20,256})(?=[@:])/y;

function urlPassword(text: string, start: number): readonly SecretSpan[] {
  const spans: SecretSpan[] = [];
  const password = spanOf(userAndPassword, text, start);
  const user = spanOf(longUser, text, start);
  const isUser = user !== undefined && (password !== undefined || text[user.end] === "@");
  if (isUser && looksRandom(text.slice(user.start, user.end)))
    spans.push({ ...user, kind: "url-credential" });
  if (password !== undefined && !/^(?:[$%{[*]|&lt)/.test(text.slice(password.start, password.end)))
    spans.push({ ...password, kind: "password" });
  return spans;
}

const quote = "\\\\{0,3}[\"'`]";
const authorizationValue = new RegExp(
  `(authorization(?:${quote})?\\]?\\s{0,3}(?:=>|:=|[=:,]|\\s(?=${quote}))\\s{0,3}(?:[bfr](?=["']))?(?:${quote})?\\s?(?:(Bearer|Basic|Token|Api-?Key|Negotiate|SSWS|GenieKey|Splunk|Key|OAuth|Discogs token=)\\s{1,3})?)([^\\s"'\`,;<>(){}\\\\|&$]{1,128})`,
  "iy",
);

function authorization(text: string, start: number): readonly SecretSpan[] {
  authorizationValue.lastIndex = start;
  const found = authorizationValue.exec(text);
  if (found === null) return none;
  const [, lead = "", scheme, value = ""] = found;
  const valueStart = start + lead.length;
  if (/[([]/.test(text.charAt(valueStart + value.length))) return none;
  const secret = scheme === undefined ? isSecretValue(value, "token", "bare") : isCredential(value);
  if (!secret) return none;
  const end = wholeEnd(text, valueStart, valueStart + value.length);
  return [{ start: valueStart, end, kind: "authorization" }];
}

// After a scheme stands a credential, unless somebody writes about it: `Basic authentication`, `Bearer YOUR_TOKEN`.
function isCredential(value: string): boolean {
  if (value.length < 6 || startsRedacted(value) || /^[%{[*.]/.test(value)) return false;
  if (/^[a-z_-]+[.:]?$/.test(value) || /^[A-Z_-]+$/.test(value) || /^[A-Z]?[a-z]+$/.test(value))
    return value.length >= 32;
  return (
    !/^(?:your|my|the)[-_]?/i.test(value) &&
    !/^[a-z]+(?:[A-Z][a-z]+)+$/.test(value) &&
    !/^[a-z]\w*\.[a-zA-Z]\w*$/.test(value)
  );
}

const bearerValue = /(?<![A-Za-z])(bearer {1,3})([\w.~+/=-]{16,})/iy;

function bearer(text: string, start: number): readonly SecretSpan[] {
  const span = spanOf(bearerValue, text, start);
  if (span === undefined || !looksRandom(text.slice(span.start, span.end))) return none;
  return [{ ...span, kind: "authorization" }];
}

// Pair after pair and no further: a second header is not read twice.
const cookieHeader = new RegExp(
  `(cookie(?:${quote})?\\]?\\s{0,3}(?:[:,]|=(?=\\s{0,3}${quote})|(?<=--cookie)\\s)\\s{0,3}(?:${quote})?)((?:[\\w.$-]{1,100}(?:=[^\\s;"'\`\\\\]{0,4096})?;? {0,2}){1,100})`,
  "iy",
);
const pair = /(?<![\w.-])([\w.-]{1,100})=([^\s;,=&]{6,4096}=?=?)/g;
const attribute = /^(?:path|domain|expires|max-age|samesite|version|priority)$/i;
const sessionName = /sess|sid$|auth|token|csrf|xsrf|jwt|secret|login|remember/i;

function cookies(text: string, start: number): readonly SecretSpan[] {
  const header = spanOf(cookieHeader, text, start);
  if (header === undefined) return none;
  const spans: SecretSpan[] = [];
  for (const found of text.slice(header.start, header.end).matchAll(pair)) {
    const [whole, name = "", value = ""] = found;
    if (attribute.test(name) || /^[$%{[<*]/.test(value)) continue;
    const secret = sessionName.test(name)
      ? isSecretValue(value, "password", "bare")
      : value.length >= 12 && looksRandom(value);
    const end = header.start + found.index + whole.length;
    if (secret) spans.push({ start: end - value.length, end, kind: "cookie" });
  }
  return spans;
}

/** What the second group matched, the first being kept. */
export function spanOf(
  pattern: RegExp,
  text: string,
  start: number,
): { start: number; end: number } | undefined {
  pattern.lastIndex = start;
  const found = pattern.exec(text);
  if (found === null) return undefined;
  const valueStart = start + (found[1] ?? "").length;
  return { start: valueStart, end: valueStart + (found[2] ?? "").length };
}
