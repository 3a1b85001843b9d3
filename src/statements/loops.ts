// Variables of shell loops: `for f in a b; do cmd $f; done` is read as `cmd a` and `cmd b`.
import type { Segment } from "../core/tools/command-line.ts";

export interface Loop {
  /** The variable. */
  name: string;
  /** Empty where they are only known when it runs: `while read f`. */
  values: readonly string[];
}

/** The loops that a line opens. */
export function loopsOf(segments: readonly Segment[]): Loop[] {
  return segments.flatMap(({ words, program }) => {
    const [, name = "", ...rest] = words;
    if (program === "for" && rest[0] === "in") return [{ name, values: rest.slice(1, 1 + maxValues) }];
    if (program !== "read") return [];
    return words.slice(1).flatMap((word) => (/^\w+$/.test(word) ? [{ name: word, values: [] }] : []));
  });
}

/** The word once for each value of the loop variable in it; the word itself where it has none. */
export function turnsOf(text: string, loops: readonly Loop[]): string[] {
  const loop = loops.find(({ name, values }) => values.length > 0 && refersTo(name).test(text));
  return loop === undefined
    ? [text]
    : loop.values.map((value) => text.replace(refersTo(loop.name), () => value));
}

/** The words with loop variables replaced by the words of another command that they may stand for. */
export function unrolled(
  words: readonly string[],
  loops: readonly Loop[],
  other: readonly string[],
): string[] {
  if (loops.length === 0) return [...words];
  return words.map((word) => {
    const pattern = patternOf(word, loops);
    if (pattern === null) return word;
    return other.find((one) => !words.includes(one) && pattern.test(one)) ?? word;
  });
}

/** True when both are the same, or one is a glob of the other: `a.js` and `*.js`. */
export function isOrGlobs(one: string, other: string): boolean {
  if (one === other) return true;
  const [glob, name] = one.includes("*") ? [one, other] : [other, one];
  return glob.includes("*") && new RegExp(`^${globSource(glob)}$`).test(name);
}

function patternOf(word: string, loops: readonly Loop[]): RegExp | null {
  const loop = loops.find(({ name }) => refersTo(name).test(word));
  if (loop === undefined) return null;
  const values = loop.values.length === 0 ? "[^-].*" : `(?:${loop.values.map(globSource).join("|")})`;
  return new RegExp(`^${word.split(refersTo(loop.name)).map(escaped).join(values)}$`);
}

function globSource(value: string): string {
  return value.split("*").map(escaped).join("[^/]*");
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function refersTo(name: string): RegExp {
  return new RegExp(`\\$(?:\\{${name}\\}|${name}(?!\\w))`);
}

const maxValues = 8;
