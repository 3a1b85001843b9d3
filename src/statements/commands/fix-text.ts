// Shortens a working command and an error for display, keeping the words that matter.
import { errorLines } from "../../core/tools/error-lines.ts";
import { clip, oneLine } from "../../text/plain-text.ts";

/**
 * `working` in at most `maxChars`. Null when it cannot be shown: a secret was redacted from what differs, or that is longer
 * than `maxChars` by itself.
 */
export function shownCommand(working: string, failing: string, maxChars: number): string | null {
  const known = new Set(failing.split(/\s+/));
  const words = working.split(/\s+/);
  const isDecisive = words.map((word) => !known.has(word));
  if (words.some((word, at) => isDecisive[at] && isBlank(word, words[at - 1] ?? "", failing))) return null;
  if (working.length <= maxChars) return working;
  const kept = [true, ...isDecisive.slice(1)];
  let length = 0;
  for (const [at, word] of words.entries()) if (kept[at]) length += word.length + elision.length;
  if (length > maxChars) return null;
  for (const [at, word] of words.entries()) {
    if (kept[at] || length + word.length + 1 > maxChars) continue;
    kept[at] = true;
    length += word.length + 1;
  }
  return words.flatMap((word, at) => (kept[at] ? [word] : kept[at - 1] === true ? ["…"] : [])).join(" ");
}

// `API_TOKEN=[redacted:…]` still says that the variable is needed, unless the failed command had it too.
function isBlank(word: string, before: string, failing: string): boolean {
  if (!placeholder.test(word)) return false;
  const name =
    /^["']?([A-Za-z_]\w*=|--?[A-Za-z][\w-]*=)/.exec(word)?.[1] ?? (/^-/.test(before) ? before : "");
  if (name !== "") return failing.includes(name);
  return word.replaceAll(new RegExp(placeholder, "g"), "").replace(/[^\p{L}\p{N}]/gu, "").length < leastRest;
}

const placeholder = /\[redacted:[a-z0-9-]{1,40}\]/;
const elision = " … ";
// An address without its password still says enough.
const leastRest = 6;

/** At most 110 characters; empty when the output says nothing. */
export function tellingLine(text: string): string {
  const lines = text.split("\n");
  const said = lines.filter(
    (line) => letters.test(line) && !summary.test(line) && line.length <= longestLine,
  );
  const line =
    errorLines(lines).first ?? said.findLast((one) => strong.test(one)) ?? firstHint(said) ?? said.at(-1);
  return clip(oneLine((line ?? "").replace(decoration, ""), longestLine), maxChars);
}

// The line after a colon has the explanation.
function firstHint(lines: readonly string[]): string | undefined {
  const at = lines.findIndex((line) => hint.test(line));
  const line = lines[at];
  const next = lines[at + 1];
  return line !== undefined && next !== undefined && /:\s*$/.test(line)
    ? `${line.trim()} ${next.trim()}`
    : line;
}

const maxChars = 110;
const longestLine = 600;
const letters = /\p{L}{2}/u;
const decoration = /^[\s>*!|●✕✖×✗]+|^\s*(?:remote|E):\s+/u;
const strong = /^\s*\S*(?:Error|Exception|Improperly\w+|Exit)\b\S*: \S/;
const hint =
  /not (?:exist|found|set|installed|supported|available|permitted|allowed|configured|resolve)|could not|couldn't|can(?:not|'t)|unable|missing|required|invalid|unsupported|unexpected|unknown|refused|rejected|denied|declined|timed? ?out|mismatch|expired|conflict|already|in use|locked|no such|undefined|crash|fault|abort|fatal|exceed|out of|does(?: not|n't)|is(?: not|n't)|must|fehler|fehlt|nicht|erreur|introuvable|impossible|no se|falta|não|ошибк|не |错误|失败|未|エラー|失敗|できません|ません/i;
const summary =
  /^\s*(?:Tests?|Test (?:Suites|Files)|Snapshots|Time|Duration|Ran all|Start at|Total|Done|real|user|sys)\b[:\s]|^\s*\d+ (?:passed|failed|passing|failing)\b|^\s*(?:FAIL|PASS|FAILED|ok)\b|^\s*[✓✔✕✖×✗]|^make(?:\[\d+\])?: |^npm (?:ERR!|error) (?:code|A complete log)|^[-=_*\s]+$|^\s*=== |^\s*--- PASS|^\S*Exit code|^\s*at\s/;
