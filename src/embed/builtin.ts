// `builtin`: vectors without weights and without a network. Words and the letters in them are hashed into 384 numbers.
import { identifierParts } from "../domain/index-text.ts";
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
    // A word that comes ten times says three times as much as one that comes once, not ten.
    const weight = (1 + Math.log(count)) * rarity(word);
    add(vector, word, weight);
    const grams = letterGrams(word);
    for (const gram of grams) add(vector, gram, (weight * shareOfLetters) / Math.sqrt(grams.length));
  }
  // A text without words still has a direction, the same for all of them.
  if (counts.size === 0) vector[0] = 1;
  return vector;
}

// What the letters of a word weigh beside the word: they find its other forms, and false friends.
const shareOfLetters = 0.7;

function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const [word] of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    words.push(word.toLowerCase(), ...identifierParts(word));
  }
  return words;
}

// Without a corpus nothing tells how rare a word is; that short words are common ones is true of most languages.
function rarity(word: string): number {
  if (/[^\x20-\x7e]/.test(word)) return 1;
  return Math.min(1, word.length ** 2 / 25);
}

function letterGrams(word: string): string[] {
  // Scripts without spaces give whole sentences as one word, and a character or two of it are a word.
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

// Two places and a sign each: a collision of two features then rarely adds up.
function add(vector: Float32Array, feature: string, weight: number): void {
  const hash = hashOf(feature);
  for (const part of [hash & 0xffff, hash >>> 16]) {
    const place = (part >>> 1) % dimension;
    vector[place] = (vector[place] as number) + ((part & 1) === 0 ? weight : -weight);
  }
}

// FNV-1a, and a last step that mixes the high bits into the low ones.
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}
