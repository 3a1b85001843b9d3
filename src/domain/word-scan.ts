// Finds any of many short words in one pass over a text, so that a text without them costs one look-up a character.

/** Told of each word found: its number and where it starts. Returns where to go on, or undefined to go on after the word. */
type OnWord = (word: number, start: number) => number | undefined;

/**
 * A scanner (Aho-Corasick) for the words, which are lower-case ASCII and found in any case. Of words that end at the
 * same place the longest is told first.
 */
export function createWordScan(words: readonly string[]): (text: string, onWord: OnWord) => void {
  const classes = classesOf(words);
  const { next, found } = buildStates(words, classes);
  return (text, onWord) => {
    let state = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      state = next[(state << classBits) | (code < 128 ? (classes[code] ?? 0) : 0)] ?? 0;
      const here = found[state];
      if (here === undefined) continue;
      for (const word of here) {
        const goOn = onWord(word, at + 1 - (words[word] ?? "").length);
        if (goOn === undefined) continue;
        at = goOn - 1;
        state = 0;
        break;
      }
    }
  };
}

const classBits = 6;
const classCount = 1 << classBits;

// Class 0 is every character that stands in no word.
function classesOf(words: readonly string[]): Uint8Array {
  const classes = new Uint8Array(128);
  let count = 1;
  for (const letter of new Set(words.join(""))) {
    classes[letter.charCodeAt(0)] = count;
    classes[letter.toUpperCase().charCodeAt(0)] = count;
    count++;
  }
  if (count > classCount) throw new RangeError("the words use too many different characters");
  return classes;
}

interface States {
  next: Uint16Array;
  found: (number[] | undefined)[];
}

function buildStates(words: readonly string[], classes: Uint8Array): States {
  const most = words.reduce((sum, word) => sum + word.length, 1);
  const next = new Uint16Array(most * classCount);
  const found: (number[] | undefined)[] = new Array(most);
  const slots: number[][] = [[]];
  let count = 1;
  for (const [index, word] of words.entries()) {
    let state = 0;
    for (const letter of word) {
      const slot = (state << classBits) | (classes[letter.charCodeAt(0)] ?? 0);
      if (next[slot] === 0) {
        slots[state]?.push(slot);
        slots[count] = [];
        next[slot] = count++;
      }
      state = next[slot] ?? 0;
    }
    found[state] = [...(found[state] ?? []), index];
  }
  linkSuffixes({ next, found }, slots);
  return { next, found };
}

// Breadth first: every state gets the moves and the words of its longest proper suffix that is a state itself. Whole
// rows are copied and only the state's own moves are set again: letter by letter, this took 9 ms of every start.
function linkSuffixes({ next, found }: States, slots: readonly (readonly number[])[]): void {
  const suffix = new Uint16Array(slots.length);
  const queue = [0];
  for (const state of queue) {
    const behind = suffix[state] ?? 0;
    const words = found[behind];
    if (state !== 0 && words !== undefined) found[state] = [...(found[state] ?? []), ...words];
    const targets = (slots[state] ?? []).map((slot) => next[slot] ?? 0);
    const row = behind << classBits;
    if (state !== 0) next.copyWithin(state << classBits, row, row + classCount);
    for (const [index, slot] of (slots[state] ?? []).entries()) {
      const target = targets[index] ?? 0;
      if (state !== 0) suffix[target] = next[slot] ?? 0;
      next[slot] = target;
      queue.push(target);
    }
  }
}
