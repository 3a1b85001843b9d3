// Tag documents split over the strings of JSON values, in the shapes in which hosts send text.
import type { Json } from "../../src/text/json.ts";
import { createRandom, type Random } from "./random.ts";
import { tagDocuments } from "./tag-documents.ts";

/** Stands for every letter of what a tag hides: one character, so that no split makes it unrecognizable. */
export const hiddenMark = "\ue000";
/** Stands before the first tag of every document. */
export const keptMark = "\ue001";

export interface SplitDocument {
  shape: string;
  value: Json;
}

/** So many documents drawn from `seed`, each cut at random places, inside of tags too. */
export function* splitDocuments(count: number, seed: number): Generator<SplitDocument> {
  const random = createRandom(seed + 1);
  for (const { text, canary, kept, isClosed } of tagDocuments(count, seed)) {
    const marked = text.replaceAll(canary, hiddenMark).replaceAll(kept, keptMark);
    const [shape, make] = random.pick(isClosed ? [...ofOneText, ...ofAny] : ofOneText);
    yield { shape, value: make(marked, random) };
  }
}

type Shape = readonly [name: string, make: (text: string, random: Random) => Json];

// Shapes that hold one text, so that a tag without its end hides the rest.
const ofOneText: readonly Shape[] = [
  ["a string", (text) => text],
  ["lines", (text, random) => ({ lines: cut(text, random), n: 1 })],
  ["arguments", (text, random) => cut(text, random)],
  ["a notebook's source", (text) => ({ cell_type: "code", source: text.split(/(?<=\n)/) })],
  [
    "a patch",
    (text, random) => {
      const lines = text.split(/\n(?![^<>]*>)/).map((line) => random.pick([" ", "+", "-"]) + line);
      return { structuredPatch: [{ oldStart: 1, newLines: lines.length, lines }] };
    },
  ],
  ["blocks", (text, random) => cut(text, random).map((part) => ({ type: "text", text: part }))],
  [
    "blocks of a result",
    (text, random) => ({ content: cut(text, random).map((part) => ({ type: "text", text: part, id: 7 })) }),
  ],
  ["numbered lines", (text, random) => cut(text, random).map((part, line) => ({ line, text: part }))],
  [
    "output and errors",
    (text, random) => {
      const at = random.between(0, text.length);
      return { stdout: text.slice(0, at), stderr: text.slice(at), interrupted: false };
    },
  ],
  ["members", (text, random) => Object.fromEntries(cut(text, random).map((part, n) => [`part_${n}`, part]))],
];

// A tag that is never closed ends with its array or object, so these take documents in which all are closed.
const ofAny: readonly Shape[] = [
  [
    "hunks",
    (text, random) =>
      cut(text, random).map((part) => ({ file: "a.ts", lines: cut(part, random), kind: "hunk" })),
  ],
  ["cells", (text, random) => ({ cells: cut(text, random).map((part) => ({ source: cut(part, random) })) })],
  ["records", (text, random) => cut(text, random).map((part) => ({ id: "r-1", title: "t", text: part }))],
  ["a tree", (text, random) => tree(cut(text, random), random)],
];

function cut(text: string, random: Random): string[] {
  const cuts = Array.from({ length: random.between(1, 8) }, () => random.between(0, text.length));
  const places = [0, ...cuts.sort((a, b) => a - b), text.length];
  return places.slice(1).map((end, index) => text.slice(places[index], end));
}

function tree(parts: readonly string[], random: Random): Json {
  if (parts.length < 2) return parts[0] ?? "";
  const at = random.between(1, parts.length - 1);
  const halves = [tree(parts.slice(0, at), random), tree(parts.slice(at), random)];
  return random.next() < 0.5 ? halves : { before: halves[0] ?? null, n: 1, after: halves[1] ?? null };
}
