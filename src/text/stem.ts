// Porter stemmer, the same as the full-text tokenizer: `redirects` becomes `redirect`.

/** The stem of a lower-case word; words that are short, very long or hold anything but a-z stay as they are. */
export function stem(word: string): string {
  const known = stems.get(word);
  if (known !== undefined) return known;
  if (word.length < 3 || word.length > longestStemmed || !plainWord.test(word)) return word;
  const own = ownCopy(word);
  const found = stemOf(own);
  if (stems.size >= keptStems) stems.clear();
  stems.set(own, found);
  return found;
}

// Words repeat, and a stem costs a dozen patterns: the cache cuts the time for a record's terms to a third. 10,000 entries
// take about 1 MB.
const stems = new Map<string, string>();
const keptStems = 10_000;
// The limit of the full-text tokenizer.
const longestStemmed = 64;

// A slice would keep the whole text in memory.
function ownCopy(word: string): string {
  return word.split("").join("");
}

function stemOf(word: string): string {
  const initialY = word.startsWith("y");
  let w = initialY ? `Y${word.slice(1)}` : word;
  w = withoutPlural(w);
  w = withoutPast(w);
  w = vowel.test(w.slice(0, -1)) && w.endsWith("y") ? `${w.slice(0, -1)}i` : w;
  w = replaced(w, doubleEndings);
  w = replaced(w, commonEndings);
  w = withoutEnding(w);
  w = withoutFinalE(w);
  return initialY ? `y${w.slice(1)}` : w;
}

const plainWord = /^[a-z]+$/;
const consonants = "[^aeiou][^aeiouy]*";
const vowels = "[aeiouy][aeiou]*";
const vowel = new RegExp(`^(${consonants})?${vowels.slice(0, 8)}`);
const measureOverZero = new RegExp(`^(${consonants})?${vowels}${consonants}`);
const measureIsOne = new RegExp(`^(${consonants})?${vowels}${consonants}(${vowels})?$`);
const measureOverOne = new RegExp(`^(${consonants})?${vowels}${consonants}${vowels}${consonants}`);
const shortEnd = new RegExp(`^${consonants}[aeiouy][^aeiouwxy]$`);
const doubledEnd = /([^aeiouylsz])\1$/;

function withoutPlural(w: string): string {
  if (w.endsWith("sses") || w.endsWith("ies")) return w.slice(0, -2);
  return w.endsWith("s") && !w.endsWith("ss") ? w.slice(0, -1) : w;
}

function withoutPast(w: string): string {
  if (w.endsWith("eed")) return measureOverZero.test(w.slice(0, -3)) ? w.slice(0, -1) : w;
  const cut = w.endsWith("ed") ? 2 : w.endsWith("ing") ? 3 : 0;
  const left = w.slice(0, w.length - cut);
  if (cut === 0 || !vowel.test(left)) return w;
  if (/(at|bl|iz)$/.test(left)) return `${left}e`;
  if (doubledEnd.test(left)) return left.slice(0, -1);
  return shortEnd.test(left) ? `${left}e` : left;
}

// The first matching ending decides, even if the rest is too short to lose it.
function replaced(w: string, endings: readonly (readonly [string, string])[]): string {
  for (const [ending, by] of endings) {
    if (!w.endsWith(ending)) continue;
    const left = w.slice(0, w.length - ending.length);
    return measureOverZero.test(left) ? left + by : w;
  }
  return w;
}

function withoutEnding(w: string): string {
  for (const ending of lastEndings) {
    if (!w.endsWith(ending)) continue;
    const left = w.slice(0, w.length - ending.length);
    if (ending === "ion" && !/[st]$/.test(left)) return w;
    return measureOverOne.test(left) ? left : w;
  }
  return w;
}

function withoutFinalE(w: string): string {
  let left = w;
  if (w.endsWith("e")) {
    const rest = w.slice(0, -1);
    if (measureOverOne.test(rest) || (measureIsOne.test(rest) && !shortEnd.test(rest))) left = rest;
  }
  return left.endsWith("ll") && measureOverOne.test(left) ? left.slice(0, -1) : left;
}

const doubleEndings = [
  ["ational", "ate"],
  ["tional", "tion"],
  ["enci", "ence"],
  ["anci", "ance"],
  ["izer", "ize"],
  ["logi", "log"],
  ["bli", "ble"],
  ["alli", "al"],
  ["entli", "ent"],
  ["eli", "e"],
  ["ousli", "ous"],
  ["ization", "ize"],
  ["ation", "ate"],
  ["ator", "ate"],
  ["alism", "al"],
  ["iveness", "ive"],
  ["fulness", "ful"],
  ["ousness", "ous"],
  ["aliti", "al"],
  ["iviti", "ive"],
  ["biliti", "ble"],
] as const;

const commonEndings = [
  ["icate", "ic"],
  ["ative", ""],
  ["alize", "al"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ful", ""],
  ["ness", ""],
] as const;

const lastEndings = [
  "ement",
  "ment",
  "ance",
  "ence",
  "able",
  "ible",
  "ant",
  "ent",
  "ism",
  "ate",
  "iti",
  "ous",
  "ive",
  "ize",
  "ion",
  "al",
  "er",
  "ic",
  "ou",
];
