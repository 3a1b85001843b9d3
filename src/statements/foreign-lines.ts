// Tells single lines of a prompt that a person did not type: logs, stack traces, diffs, tables, code, markup.

/** True for a line that a program printed or that is quoted. Reads its first 300 characters. */
export function isForeignLine(line: string): boolean {
  const start = line.slice(0, 300);
  return foreignLine.test(start) || codeEnd.test(line.slice(-20));
}

/** What a line has before its first colon, as programs print it before each of their lines; null without. */
export function prefixOf(line: string): string | null {
  return /^\s{0,4}([\w.@/[\]-]{2,30}):\s+\S/.exec(line.slice(0, 60))?.[1] ?? null;
}

/** True for the first line of a block that a program printed: it goes on until an empty line. */
export function opensForeignBlock(line: string): boolean {
  return foreignBlock.test(line.slice(0, 120));
}

/** The tag that a line of markup opens with, or null. */
export function openingTagOf(line: string): string | null {
  return /^\s{0,12}<([a-z][\w-]{0,40})(?:\s[^<>]{0,200})?>/i.exec(line)?.[1]?.toLowerCase() ?? null;
}

/** The tags that a line of markup closes. */
export function closingTagsOf(line: string): string[] {
  return [...line.matchAll(/<\/([a-z][\w-]{0,40})>/gi)].map(([, tag = ""]) => tag.toLowerCase());
}

const foreignLine = new RegExp(
  [
    /\s{0,12}(?:>|\||[-=+*_]{4})/, // quoted, a row of a table, a ruler
    /\s{0,12}\[?\d{4}-\d\d-\d\d[T ]\d\d/, // a time
    /\s{0,12}\[?\d\d:\d\d:\d\d/,
    /(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w{0,6} +\d{1,2} \d\d:\d\d/,
    /\[[\w .:-]{2,40}\]\s/, // a level or a source in brackets
    /(?:npm |yarn |pnpm )?(?:warn|warning|err!|error|fatal|panic|debug|info|trace|notice|critical)(?:[[(: ][^:]{0,40})?:/,
    /(?:npm|yarn|pnpm) (?:warn|err!|error|notice)\b/,
    /(?:fehler|warnung|erreur|avertissement|erro|ошибка|предупреждение|错误|警告|エラー)\s?[:：]/,
    /remote:|make(?:\[\d+\])?: |exit (?:code )?\d+$/,
    /\s{0,40}at [\w.$<>/[\] ]{1,120}\(/, // stack traces
    /\s{0,12}File ".{1,200}", line \d/,
    /Traceback |thread '.{1,60}' panicked|goroutine \d|Caused by:/,
    /[\w.$]{0,120}(?:Error|Exception)(?:: |$)/,
    /commit [0-9a-f]{7,40}\b|[0-9a-f]{7,40} \S|(?:Author|Date|Merge|Subject|From|Cc):\s/, // what git prints
    /\s{0,12}(?:\/\/|\/\*|\*\/|<!--|#!|#include|<\/?[a-z][\w-]{0,40}[\s/>])/, // code and markup
    /\s{0,12}(?:[{}[\]]|"[\w.-]{1,60}"\s?:|[\w.-]{1,60}\s?(?:=|:=|\+=|=>)\s?\S)/,
    /(?: {4,}|\t)\s*\S/,
    /\s{0,12}\d{1,6}(?:\t|→|\s\|)/, // numbered lines
    /\s{0,12}(?:[\w./-]{1,120}:)?\d{1,6}:\d{1,4}:?\s/,
    /\s{0,12}[✓✗×✔✖●├└│]|(?:PASS|FAIL|FAILED)\s/,
  ]
    .map(({ source }) => `^(?:${source})`)
    .join("|"),
  "i",
);

const codeEnd = /[;{}]$|\)\s?=>$|(?:\.{3}|…)\s*(?:ok|pass(?:ed)?|fail(?:ed)?|done)$/i;

const foreignBlock =
  /^\s{0,4}(?:[$%❯] |PS [A-Z]:|thread '|goroutine \d|diff --git |@@ |index [0-9a-f]{7}|(?:---|\+\+\+) [ab/])/;
