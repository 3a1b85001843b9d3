// Documents full of private tags, well formed and not, with a canary wherever a tag is open.
import { createRandom, type Random } from "./random.ts";
import { sampleProse } from "./sample-text.ts";

/** One generated document. */
export interface TagDocument {
  text: string;
  /** Stands in the text wherever a tag is open, and must not survive. */
  canary: string;
  /** Stands in the text before the first tag, and must survive. */
  kept: string;
  /** Whether every tag that was opened is closed. */
  isClosed: boolean;
}

/** So many documents drawn from `seed`: nesting, crossing, case, spaces, attributes, missing closers, closers first. */
export function* tagDocuments(count: number, seed: number): Generator<TagDocument> {
  const random = createRandom(seed);
  for (let index = 0; index < count; index++) yield tagDocument(random, index);
}

const plainNames = ["private", "mem-context", "claude-mem-context", "hook_context"];
const names = [...plainNames, "mem-context-0a1b2c3d4e5f", "mem-context-ffffffffffff"];

function tagDocument(random: Random, index: number): TagDocument {
  const canary = `CANARY-${index}-`;
  const kept = `KEPT-${index}-`;
  const open: string[] = [];
  const parts = [kept];
  const steps = random.between(3, 14);
  for (let step = 0; step < steps; step++) {
    parts.push(nextPart(random, open));
    if (open.length > 0) parts.push(`${canary}${step} `);
    else parts.push(sampleProse(random, random.between(0, 4)));
  }
  // In half of the documents what is open stays open.
  if (random.next() < 0.5) for (const name of open.splice(0).reverse()) parts.push(closer(random, name));
  const text = parts.join("");
  // An empty block of ours counts as one that was cut.
  return { text, canary, kept, isClosed: open.length === 0 && !/<mem-context-[^<>]*\/>/i.test(text) };
}

// Changes `open`, the names of the tags that are open, as the part it returns does.
function nextPart(random: Random, open: string[]): string {
  const name = random.pick(random.next() < 0.6 ? ["private"] : names);
  const draw = random.next();
  if (draw < 0.45) {
    open.push(name);
    return opener(random, name);
  }
  if (draw < 0.75) {
    // Mostly the innermost, at times another: the pairs then cross.
    const at = random.next() < 0.8 ? open.length - 1 : random.between(0, Math.max(0, open.length - 1));
    const [closed] = open.splice(Math.max(0, at), 1);
    return closed === undefined ? closerOfNone(random, open) : closer(random, closed);
  }
  if (draw < 0.8) return `<${name}${random.pick(["", " ", ' note="b"', "\n"])}/>`;
  if (draw < 0.85) return closerOfNone(random, open);
  return random.pick([
    sampleProse(random, 3),
    "a < b && c > d",
    "<div>",
    "</p>",
    "<privateer>",
    "x<y",
    "\n\n",
  ]);
}

// A closer of a name that is not open closes nothing; that of an injected block takes away what stands before it.
function closerOfNone(random: Random, open: readonly string[]): string {
  const closed = plainNames.filter((name) => !open.includes(name));
  return closed.length === 0 ? "" : closer(random, random.pick(closed));
}

function opener(random: Random, name: string): string {
  const attributes = random.pick([
    "",
    "",
    ' reason="x"',
    " a=1 b='2'",
    "\n  note",
    ` long="${"y".repeat(150)}"`,
  ]);
  return `<${space(random)}${anyCase(random, name)}${attributes}${space(random)}>`;
}

function closer(random: Random, name: string): string {
  return `<${space(random)}/${space(random)}${anyCase(random, name)}${space(random)}>`;
}

function space(random: Random): string {
  return random.pick(["", "", "", " ", "  ", "\t", "\n"]);
}

function anyCase(random: Random, name: string): string {
  return [...name].map((letter) => (random.next() < 0.3 ? letter.toUpperCase() : letter)).join("");
}
