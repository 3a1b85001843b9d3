// Where the block of a symbol ends: by its brackets, else by its indentation.

/** Answers with the line behind the block that begins at a line. */
export function createBlocks(lines: readonly string[]): (from: number) => number {
  const indents = lines.map(indentOf);
  const opened = lines.map(openedIn);
  const isBlank = lines.map((line) => line.trim() === "");

  /** The line that closes what this line opens, at the same indentation; the line itself when there is none. */
  function closedAt(from: number, indent: number): number {
    let depth = 0;
    const last = Math.min(lines.length, from + maxBlockLines);
    for (let at = from; at < last; at += 1) {
      depth += opened[at] ?? 0;
      if (depth > 0) continue;
      return at === from || (depth === 0 && indents[at] === indent) ? at : from;
    }
    return from;
  }

  return (from) => {
    const indent = indents[from] ?? 0;
    let end = closedAt(from, indent) + 1;
    for (let at = end; at < lines.length && at < from + maxBlockLines; at += 1) {
      if (isBlank[at]) continue;
      const deeper = (indents[at] ?? 0) - indent;
      if (deeper > 0) {
        end = at + 1;
        continue;
      }
      if (deeper < 0 || !continues.test(lines[at] ?? "")) break;
      // `{` alone on a line opens the body, and `)` ends the parameters.
      at = closedAt(at, indent);
      end = at + 1;
      if (closes.test(lines[at] ?? "")) break;
    }
    return end;
  };
}

const maxBlockLines = 10_000;
const continues = /^\s*(?:[{)\]}]|end\b|else\b|elif\b|elsif\b|except\b|rescue\b|ensure\b|catch\b|finally\b)/;
const closes = /^\s*(?:[}\]][)\]};,]*\s*;?\s*$|end\b)/;
const tabWidth = 4;

export function indentOf(line: string): number {
  let width = 0;
  for (const character of line) {
    if (character === " ") width += 1;
    else if (character === "\t") width += tabWidth;
    else break;
  }
  return width;
}

/** Opening less closing brackets outside of quotes and comments. */
function openedIn(line: string): number {
  const text = line.slice(0, maxLineChars);
  const closingAt = createClosings(text);
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === "/" && text.charAt(at + 1) === "/") break;
    if ("([{".includes(character)) depth += 1;
    else if (")]}".includes(character)) depth -= 1;
    else if ("\"'`/".includes(character)) at = closingAt(at);
  }
  return depth;
}

const maxLineChars = 2_000;

/** Answers with the last character of the quote or comment that begins at a place; the place when it does not end. */
function createClosings(text: string): (at: number) => number {
  // What does not end from one place ends from no later one, so that each kind reads the rest of the line once.
  const endless = new Set<string>();
  return (at) => {
    const mark = text.charAt(at);
    if (endless.has(mark) || (mark === "/" && text.charAt(at + 1) !== "*")) return at;
    const end = mark === "/" ? text.indexOf("*/", at + 2) + 1 : quoteEnd(text, at);
    if (end > at) return end;
    endless.add(mark);
    return at;
  };
}

function quoteEnd(text: string, from: number): number {
  const mark = text.charAt(from);
  for (let at = from + 1; at < text.length; at += 1) {
    if (text.charAt(at) === "\\") at += 1;
    else if (text.charAt(at) === mark) return at;
  }
  return from;
}
