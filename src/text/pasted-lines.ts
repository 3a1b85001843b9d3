// Tells typed lines from pasted ones: logs, stack traces, code, markup, tables, diffs, quoted lines.

/**
 * Each line as far as it was typed; empty for a pasted one. A line is judged by itself, by the block around it, or by
 * pasted lines above and below. A code block within a line becomes "…". Linear in time.
 */
export function typedLines(lines: readonly string[]): string[] {
  const read = lineReader(lines);
  const texts = lines.map(read);
  let pasted = -1;
  for (const [at, line] of lines.entries()) {
    if (line.trim() === "") pasted = -1;
    else if (texts[at] === "") {
      const between = pasted < 0 ? [] : texts.slice(Math.max(pasted + 1, at - widestGap - 1), at);
      // Users put questions and lists between the parts of a log.
      const isLog =
        between.length <= widestGap && !between.some((one) => listItem.test(one) || question.test(one));
      if (isLog) texts.fill("", at - between.length, at);
      pasted = at;
    }
  }
  return texts;
}

const widestGap = 3;
const question = /[?？]\s{0,9}$/;

function lineReader(lines: readonly string[]): (line: string, at: number) => string {
  const lastClose = new Map<string, number>();
  for (const [at, line] of lines.entries())
    for (const [, tag = ""] of line.matchAll(/<\/([a-z][\w-]{0,40})>/gi))
      lastClose.set(tag.toLowerCase(), at);
  const withoutCode = codeReader(lines.findLastIndex((line) => line.includes(fenceMarks)));
  let isBlock = false;
  let isList = false;
  let markupEnd = -1;
  return (whole, at) => {
    if (whole.trim() === "") isBlock = false;
    const line = withoutCode(whole, at);
    if (line.trim() === "" || at <= markupEnd) return "";
    const tag = /^\s{0,12}<([a-z][\w-]{0,40})(?:\s[^<>]{0,200})?>/i.exec(line)?.[1]?.toLowerCase();
    if (tag !== undefined) markupEnd = lastClose.get(tag) ?? at;
    isBlock ||= foreignBlock.test(line.slice(0, 120));
    if (tag !== undefined || isBlock) return "";
    // Programs repeat the text before the first colon on each line.
    const prefix = prefixOf(line);
    if (prefix !== undefined && [at - 1, at + 1].some((other) => prefixOf(lines[other] ?? "") === prefix))
      return "";
    isList = listItem.test(line) || (isList && /^\s{2,}\S/.test(line));
    return isForeignLine(isList ? line.trim() : line) ? "" : line;
  };
}

/** Reads lines without code blocks, of which an unclosed one lasts to the end. */
function codeReader(lastFence: number): (line: string, at: number) => string {
  let open: string | null = null;
  let isWithin = false;
  return (whole, at) => {
    const end = isWithin ? whole.indexOf(fenceMarks) : -fenceMarks.length;
    if (isWithin && end < 0) return "";
    const line = whole.slice(end + fenceMarks.length);
    const before = open;
    open = fenceAfter(open, line);
    isWithin = false;
    if (before !== null || open !== null) return "";
    // What stands between three backticks in one line, or from one line to another.
    const [typed = "", ...pieces] = line.split(fenceMarks);
    isWithin = pieces.length % 2 === 1 && at < lastFence;
    return typed + pieces.map((piece, part) => (part % 2 === 0 ? "…" : piece)).join("");
  };
}

const fenceMarks = "```";

/** The marks of the fence that is open after the line, null for none. A shorter fence inside is content. */
export function fenceAfter(open: string | null, line: string): string | null {
  const [, marks = "", info = ""] = /^\s{0,12}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
  if (marks === "") return open;
  // Python 3.13 underlines code in a traceback with `~~~~^^^`.
  if (open === null) return /[`^]/.test(info) ? null : marks;
  return marks[0] === open[0] && marks.length >= open.length && info.trim() === "" ? null : open;
}

function prefixOf(line: string): string | undefined {
  return /^\s{0,4}([\w.@/[\]-]{2,30}):\s+\S/.exec(line.slice(0, 60))?.[1];
}

export const listItem = /^\s{0,8}(?:[-*•+]|\d{1,2}[.)])\s+\S/;

/** True for a line that a program printed or that is quoted. Base64 and minified code have few spaces. */
function isForeignLine(line: string): boolean {
  const start = line.slice(0, 300);
  if (isPrinted(start) || foreignLine.test(start) || foreignEnd.test(line.slice(-80))) return true;
  return line.length > 300 && line.length > (line.match(/[\s，。、；！？]/g)?.length ?? 0) * 40;
}

/** True for text that begins as errors, stack traces, terminals and consoles do. */
export function isPrinted(text: string): boolean {
  return printedLine.test(text.slice(0, 300)) || foreignBlock.test(text.slice(0, 120));
}

const startingWith = (forms: readonly RegExp[]) =>
  new RegExp(forms.map(({ source }) => `^(?:${source})`).join("|"), "i");

// Errors, stack traces, and what a browser's console prints.
const printedLine = startingWith([
  /(?:npm |yarn |pnpm )?(?:warn|warning|err!|error|fatal|panic|debug|info|trace|notice|critical)(?:[[(: ][^:]{0,40})?:|(?:fehler|warnung|erreur|avertissement|erro|ошибка|предупреждение|错误|警告|エラー)\s?[:：]/,
  /\s{0,40}at (?:async )?[\w.$<>/[\] ]{1,120}\(|\s{0,12}File ".{1,200}", line \d|\s{0,40}in \S{1,120} on line \d/,
  /Traceback |stack traceback|thread '.{1,60}' panicked|goroutine \d|Caused by:|[\w.$\\]{0,120}(?:Error|Exception)(?:: |$)/,
  /Un(?:caught|handled) (?:\(in |\w*(?:Error|Exception):)|Failed to load resource|syntax error, unexpected|Undefined (?:variable|index|array key)/,
  /Attempt to read property|Unsupported operand|Class "[^"]+" not found|Cannot (?:read propert|redeclare |convert \S+ to )/,
  /\S{1,120}\.\w{1,6}:\d{1,6}(?::\d{1,6})?(?:\s*$|\s+(?:[\u2190-\u2bff\ud83c-\ud83e]|Uncaught |Failed to |Warning|Error))/,
  /\s{0,3}(?:(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) \S+(?:\s+(?:\d{3}\b|net::)|\s*$)|Array\(\d+\)|Object \{|\(anonymous\))/,
]);

// Logs, what git prints, quoted text, tables, code, markup.
const foreignLine = startingWith([
  /\s{0,12}(?:>|\||[-=+*_]{4}|\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d|\[?\d\d:\d\d:\d\d)/,
  /(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w{0,6} +\d{1,2} \d\d:\d\d|\s?\[[\w .:-]{2,40}\]\s/,
  /(?:npm|yarn|pnpm) (?:warn|err!|error|notice)\b|remote:|make(?:\[\d+\])?: |exit (?:code )?\d+$|(?:PASS|FAIL|FAILED)\s/,
  /commit [0-9a-f]{7,40}\b|[0-9a-f]{7,12} \S|(?:Author|Date|Merge|Subject|From|Cc):\s|\s{0,4}(?:[MADRCU]|\?\?) {1,2}[\w.@-]*\/\S+`?$/,
  /\s{0,12}(?:\/\/|\/\*|\*\/|<!--|#!|#(?:include|define|ifdef|endif|pragma)\b|<\/?[a-z][\w-]{0,40}[\s/>]|[✓✗×✔✖●├└│])/,
  /\s{0,12}(?:import \S+ from ["']|import ["'{*]|import \S+ as \w+$|from [\w.]+ import [\w*])|(?: {4,}|\t)\s*\S/,
  /\s{0,12}(?:[{}\]]|\[(?=[\s\d"'{[]|$)|"[\w.-]{1,60}"\s?:|[\w.-]{1,60}\s?(?:=|:=|\+=|=>)\s?\S)/,
  /\s{0,12}(?:\d{1,6}(?:\t|→|\s[|│])|(?:[\w./-]{1,120}:)?\d{1,6}:\d{1,4}:?\s)/,
]);

const foreignEnd =
  /[;{}]$|\)\s?=>$|(?:\.{3}|…)\s*(?:ok|pass(?:ed)?|fail(?:ed)?|done)$|[\s@/]\S{1,60}\.\w{1,6}:\d{1,6}:\d{1,6}\)?$|\s@\s\S{1,60}:\d{1,6}$/i;

/** The first line of a terminal's output, of a diff, or of a review bot's comment, which last until an empty line. */
const foreignBlock =
  /^\s{0,4}(?:`?[$%❯✗] |PS [A-Z]:|\S+@\S+[:~]\S*[$#] |(?:\(\S+\) )?➜ |>>> |thread '|goroutine \d|diff --git |@@ |index [0-9a-f]{7}|(?:---|\+\+\+) [ab/]|In `?@\S+ around lines? \d|_[⚠🛠💡🧹]|\*{0,2}Actionable comments posted)/u;
