// `builtin`: hashes words and their letters into 384 numbers. Needs neither a model nor a network.
import { isFunctionWord } from "../../text/function-words.ts";
import { identifierParts } from "../../text/index-text.ts";
import { stem } from "../../text/stem.ts";
import type { Embedder } from "./embedder.ts";

const dimension = 384;

/** The same text gives the same vector on every machine. */
export function createBuiltinEmbedder(): Embedder {
  return {
    identity: { embedder: "builtin", model: "" },
    batch: 32,
    embed: async (texts) => texts.map(hashedVector),
    close: async () => undefined,
  };
}

function hashedVector(text: string): Float32Array {
  const counts = new Map<string, number>();
  for (const word of wordsOf(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const vector = new Float32Array(dimension);
  for (const [word, count] of counts) {
    // A word that occurs ten times weighs three times as much as one that occurs once.
    const weight = 1 + Math.log(count);
    add(vector, word, weight);
    const grams = letterGrams(word);
    for (const gram of grams) add(vector, gram, (weight * shareOfLetters) / Math.sqrt(grams.length));
  }
  // A text without words still has a direction, the same for all of them.
  if (counts.size === 0) vector[0] = 1;
  return vector;
}

// The weight of a word's letters relative to the word. Measured alone on the development sets (R@10 of LoCoMo turns, CoSQA,
// Cranfield, commit-fixes): stems with letters 32, 43, 29, 41; without letters 31, 36, 24, 42; no stems 25, 33, 20, 28.
const shareOfLetters = 0.8;

function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const [word] of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    for (const part of [word.toLowerCase(), ...identifierParts(word)])
      if (!isFunctionWord(part)) words.push(stem(part));
  }
  return words;
}

function letterGrams(word: string): string[] {
  // In scripts without spaces a whole sentence is one word, and each of its words has one or two characters.
  const unspaced = unspacedScript.test(word);
  const letters = unspaced ? [...word] : [...`<${word}>`];
  const grams: string[] = [];
  for (const length of unspaced ? [1, 2] : [3, 4, 5]) {
    for (let at = 0; at + length <= Math.min(letters.length, longestWord); at++) {
      grams.push(letters.slice(at, at + length).join(""));
    }
  }
  return grams;
}

const longestWord = 40;
const unspacedScript = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

// With a sign, features that collide rarely add up.
function add(vector: Float32Array, feature: string, weight: number): void {
  const hash = hashOf(feature);
  const place = (hash >>> 1) % dimension;
  vector[place] = (vector[place] as number) + ((hash & 1) === 0 ? weight : -weight);
}

// FNV-1a, and a last step that mixes the high bits into the low ones.
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}
