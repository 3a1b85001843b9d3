// Finds error lines in the output of a command: the first error, its location, a few others.

export interface ErrorLines {
  first: string | null;
  /** `file:line` nearest to it, as printed. */
  location: string | null;
  others: string[];
  count: number;
}

export function errorLines(lines: readonly string[]): ErrorLines {
  const found: string[] = [];
  const seen = new Set<string>();
  let firstAt = -1;
  let count = 0;
  for (const [index, line] of lines.entries()) {
    if (line.length > longestLine || !hint.test(line) || !isError(line)) continue;
    count += 1;
    const said = line.replace(pytestMark, "").trim();
    // A line that ends in a colon is only the location. The next line has the error.
    const next = said.endsWith(":") ? (lines[index + 1] ?? "").trim().slice(0, longestLine) : "";
    const text = next === "" ? said : `${said} ${next}`;
    if (seen.has(text) || found.length === maxErrors) continue;
    seen.add(text);
    found.push(text);
    if (firstAt < 0) firstAt = index;
  }
  const [first = null, ...others] = found;
  return { first, others, count, location: firstAt < 0 ? null : locationNear(lines, firstAt) };
}

/** True when the last lines can only come from a failure. For hosts that do not send the exit code. */
export function endsInError(lines: readonly string[]): boolean {
  return lines.slice(-12).some((line) => line.length <= longestLine && certain.test(line));
}

function isError(line: string): boolean {
  return errorPattern.test(line) && !notAnError.test(line);
}

function locationNear(lines: readonly string[], at: number): string | null {
  const underFile = /^\s*(\d+):\d+\s/.exec(lines[at] ?? "");
  if (underFile !== null) return locationUnderFile(lines, at, underFile[1] ?? "");
  const own = locationIn(lines[at] ?? "");
  if (own !== null) return own;
  for (let step = 1; step <= 8; step += 1) {
    const after = locationIn(lines[at + step] ?? "");
    if (after !== null) return after;
  }
  for (let step = 1; step <= 6; step += 1) {
    const before = locationIn(lines[at - step] ?? "");
    if (before !== null) return before;
  }
  return null;
}

// Linters print the file once, then `line:column` for each of its errors.
function locationUnderFile(lines: readonly string[], at: number, lineNumber: string): string | null {
  for (let index = at - 1; index >= Math.max(0, at - 40); index -= 1) {
    const file = /^(\S{1,200}\.\w{1,6})$/.exec(lines[index] ?? "")?.[1];
    if (file !== undefined) return `${file}:${lineNumber}`;
  }
  return null;
}

function locationIn(line: string): string | null {
  if (line.length > longestLine || line.includes("node_modules") || line.includes("node:internal"))
    return null;
  const python = /File "([^"]{1,200})", line (\d+)/.exec(line);
  if (python !== null) return `${python[1]}:${python[2]}`;
  const typescript = /(?:^|[\s(])([\w@./\\-]{1,200}\.\w{1,6})\((\d+),\d+\)/.exec(line);
  if (typescript !== null) return `${typescript[1]}:${typescript[2]}`;
  const plain =
    /(?:^|[\s(❯>])(?:file:\/\/)?((?:[A-Za-z]:)?[\w@./\\+-]{1,200}\.[A-Za-z]\w{0,5}):(\d+)(?::\d+)?/.exec(
      line,
    );
  return plain === null ? null : `${plain[1]}:${plain[2]}`;
}

const pytestMark = /^E {3,}/;
const longestLine = 600;
const maxErrors = 5;
const hint =
  /^E |:\d+:|err|fail|fatal|panic|exception|not found|no such|reject|denied|cannot|undefined|traceback|conflict|refused|abort|killed|unable/i;
const errorPattern =
  /\b(?:[A-Z]\w*)?(?:Error|Exception)\b(?::|\[| \[|$)|\berror(?:\[\w+\])?:|\berror TS\d+|\bERR!|^npm error \S|! \[rejected\]|^\s*\d+:\d+\s+error\b|^(?:fatal|FATAL|panic|abort)\b|\bFATAL\b|command not found|: not found$|[Nn]o such file|[Pp]ermission denied|ENOENT|EACCES|ECONNREFUSED|EADDRINUSE|ERR_[A-Z_]{4,}|^CONFLICT \(|^E {3,}\S|\bpanicked at\b|^\S+?:\d+:\d+: (?!warning|note|info)|^\s+\w+_test\.go:\d+: |[Cc]annot find|[Cc]onnection refused|not recognized as|^\[?ERROR\b|: error |^Killed$|[Ss]egmentation fault|[Uu]nable to/;
const notAnError =
  /\b(?:no|0|without) errors?\b|\berrors?: 0\b|^\s*at |^npm error (?:code|errno|path|command|A complete log|Lifecycle|signal|workspace)\b|^npm ERR! (?:code|errno|A complete log)|^\s*(?:✓|✔|ok \d)/i;
const certain =
  /^(?:fatal|panic):? |command not found$|^npm (?:error|ERR!)|^Traceback \(most recent|^(?:[A-Za-z]\w*)?(?:Error|Exception): |error TS\d+|^error(?:\[\w+\])?: |^[\w./-]+: error: |Segmentation fault|No such file or directory$|Permission denied$/;
