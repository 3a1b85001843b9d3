// Finds the first character at which a text stops being JSON, and what JSON allows there.

export interface JsonFault {
  /** From 0, in UTF-16 units. */
  position: number;
  /** From 1. */
  line: number;
  column: number;
  /** What JSON allows there, in words. */
  expected: string;
}

/** The fault of a text that JSON.parse refuses; undefined for JSON. Takes time linear in the text. */
export function jsonFault(text: string): JsonFault | undefined {
  const open: ("{" | "[")[] = [];
  let wanted: Wanted = "value";
  let at = 0;
  const fault = (): JsonFault => ({ position: at, ...placeOf(text, at), expected: words[wanted] });
  for (;;) {
    at = after(/[ \t\n\r]*/y, text, at);
    const char = text[at];
    if (wanted === "end") return char === undefined ? undefined : fault();
    if (char === undefined) return fault();
    const [closing] = isClosing(char, open.at(-1), wanted) ? [open.pop()] : [];
    if (closing !== undefined) at += 1;
    else if (wanted === "comma") {
      if (char !== ",") return fault();
      at += 1;
      wanted = open.at(-1) === "{" ? "name" : "value";
      continue;
    } else if (wanted === "colon") {
      if (char !== ":") return fault();
      at += 1;
      wanted = "value";
      continue;
    } else if (wanted === "name" || wanted === "firstName") {
      if (char !== '"') return fault();
      const end = after(string, text, at);
      if (end === at) return stringFault(text, at);
      at = end;
      wanted = "colon";
      continue;
    } else if (char === "{" || char === "[") {
      open.push(char);
      at += 1;
      wanted = char === "{" ? "firstName" : "firstValue";
      continue;
    } else {
      const end = after(scalar, text, at);
      if (end === at) return char === '"' ? stringFault(text, at) : fault();
      at = end;
    }
    wanted = open.length === 0 ? "end" : "comma";
  }
}

type Wanted = "value" | "firstValue" | "firstName" | "name" | "colon" | "comma" | "end";

const words: Readonly<Record<Wanted, string>> = {
  value: "a value",
  firstValue: "a value or ]",
  firstName: "a name in double quotes or }",
  name: "a name in double quotes",
  colon: "a colon",
  comma: "a comma or the closing bracket",
  end: "the end of the body",
};

// Everything but quotes, backslashes and control characters, or an escape.
const inString = String.raw`(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*`;
const stringStart = new RegExp(`"${inString}`, "y");
const string = new RegExp(`"${inString}"`, "y");
const number = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`;
const scalar = new RegExp(`"${inString}"|${number}|true|false|null`, "y");

function isClosing(char: string, open: string | undefined, wanted: Wanted): boolean {
  const mayClose = wanted === "comma" || wanted === "firstName" || wanted === "firstValue";
  return mayClose && ((char === "}" && open === "{") || (char === "]" && open === "["));
}

function stringFault(text: string, start: number): JsonFault {
  const position = after(stringStart, text, start);
  const expected = position >= text.length ? "a closing double quote" : "an escaped character";
  return { position, ...placeOf(text, position), expected };
}

/** Where the match of a sticky pattern ends; `at` without one. */
function after(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function placeOf(text: string, position: number): { line: number; column: number } {
  const before = text.slice(0, position);
  const lines = before.split("\n");
  return { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
}
