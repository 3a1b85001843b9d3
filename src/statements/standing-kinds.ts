// Whether a clause is about a kind of thing, and so outlasts the task: a tool, a folder, a style.
import { bareWordsOf } from "../text/words.ts";
import { type Alternative, alternativesIn } from "./alternatives.ts";
import {
  type Clause,
  keptFolderMark,
  pathMark,
  type ReadSentence,
  readSentence,
} from "./standing-clauses.ts";

/**
 * "Don't touch vendor/", "use tabs, not spaces". A prompt that asks for work may mean them for that work, unless they
 * choose a tool or keep a folder that projects never edit by hand. "A map, not a list" speaks of one thing.
 */
export function isAboutKind(clause: Clause, read: ReadSentence, prompt: string): boolean {
  const { has, text } = clause;
  const { whole, clauses } = read;
  if (clauses.some(asksForWork)) return false;
  const isChoice = whole.has("contrast") && choosesTool(whole.text);
  const isOneThing = has("here") || whole.has("definite");
  const isUse = has("adopt") && whole.has("contrast") && !isOneThing && isPlain(clauses);
  const isOrder = has("lasting") && (text.includes(pathMark) || !isOneThing);
  const isWording = has("artifact") && has("shape") && !whole.has("copula") && !has("single");
  if (!(isChoice || isUse || isOrder || isWording)) return false;
  return (
    isChoice || !opensWithTask(prompt) || (isOrder && (namesTool(text) || text.includes(keptFolderMark)))
  );
}

function isPlain(clauses: readonly Clause[]): boolean {
  const compared = clauses.filter(({ has }) => has("adopt") || has("contrast"));
  return !compared.some(({ has, text }) => has("single") || /\d/.test(text) || choosesPerTask(text));
}

function asksForWork({ has }: Clause): boolean {
  return has("task") && !has("adopt") && !has("lasting");
}

// "pnpm, not npm": two values of one choice.
function choosesTool(text: string): boolean {
  const named = toolsIn(text);
  return named.some(({ choice, value }) =>
    named.some((other) => other.choice === choice && other.value !== value),
  );
}

function namesTool(text: string): boolean {
  return toolsIn(text).length > 0;
}

function toolsIn(text: string): Alternative[] {
  return bareWordsOf(text)
    .flatMap(alternativesIn)
    .filter(({ choice }) => !perTask.has(choice));
}

// "Use main, not develop": each task can choose again.
function choosesPerTask(text: string): boolean {
  return bareWordsOf(text)
    .flatMap(alternativesIn)
    .some(({ choice }) => perTask.has(choice));
}

const perTask = new Set(["main branch", "integration", "text format", "config format", "api style"]);

/** True for a prompt that begins with a task or a question; "undo that" begins with neither. */
export function opensWithTask(prompt: string): boolean {
  const [read] = readSentence(prompt.trimStart().slice(0, 200));
  const first = read?.clauses[0];
  return (
    first !== undefined && (asksForWork(first) || first.has("question")) && !read?.whole.has("correction")
  );
}
