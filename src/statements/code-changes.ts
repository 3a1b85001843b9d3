// Files that a shell command changes in place, or brings back to an earlier state.

import { editsInPlace, gitVerb } from "../core/tools/command-kind.ts";
import type { Segment } from "../core/tools/command-line.ts";

/** Paths that `sed -i`, `git checkout`, `patch` and the like change; empty strings where they are not named. */
export function changedBySource(segment: Segment): string[] {
  const { program, words } = segment;
  if ((program === "sed" || program === "perl") && editsInPlace(segment)) return words.slice(-1);
  if (program === "patch" || program === "ed") return [""];
  if (program !== "git") return [];
  return bringsBack(segment) ? pathsIn(words) : isStash(segment) ? [""] : [];
}

/** True for a command that restores files: what ran before it ran on other code. */
export function bringsBack({ program, words }: Segment): boolean {
  if (program === "mv" || program === "cp") return backup.test(words.slice(1).find(isOperand) ?? "");
  if (program === "patch") return words.some((word) => /^(?:-\w*R|--reverse)$/.test(word));
  if (program !== "git") return false;
  const verb = gitVerb(words);
  const rest = words.slice(words.indexOf(verb) + 1);
  if (verb === "checkout") return rest.includes("--") || rest.some((word) => path.test(word));
  if (verb === "stash") return rest[0] === "pop" || rest[0] === "apply";
  if (verb === "reset") return rest.includes("--hard");
  return verb === "restore" ? !rest.includes("--staged") : verb === "revert" || verb === "apply";
}

function isStash({ words }: Segment): boolean {
  return gitVerb(words) === "stash" && !words.some((word) => /^(?:list|show|drop)$/.test(word));
}

// A branch has a slash too, but no file ending.
function pathsIn(words: readonly string[]): string[] {
  const paths = words.filter((word) => isOperand(word) && path.test(word));
  return paths.length > 0 ? paths : [""];
}

function isOperand(word: string): boolean {
  return !word.startsWith("-");
}

const backup = /^\/tmp\/|^\/var\/tmp\/|\.(?:bak|orig|backup|old|save)$/;
// `release/1.2.x` is a branch.
const path = /^\.$|\/$|(?<!\.\d+)\.[a-z]\w{0,5}$/i;
