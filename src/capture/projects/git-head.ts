// The branch and the commit that a work tree is on, read from the repository's files without starting git.
import { statSync } from "node:fs";
import { join } from "node:path";
import { unlessMissing } from "../../core/error-code.ts";
import type { GitPlace } from "../../core/records/records.ts";
import { cleanText } from "../../privacy/clean.ts";
import { type Repository, readSmall } from "./work-tree.ts";

export type Head = Required<{ [Part in keyof GitPlace]: string | null }>;

/** Null when the files say neither. A detached HEAD has no branch, and a branch without commits no commit. */
export function headOf({ own, common }: Repository, commitOf = readRefs(common)): Head | null {
  const head = whole(join(own, "HEAD"), maxRefBytes)?.trim();
  if (head === undefined) return null;
  if (isCommit.test(head)) return { branch: null, commit: head };
  const branch = /^ref:[ \t]*refs\/heads\/(.+)$/.exec(head)?.[1];
  if (branch === undefined || !isBranchName(branch)) return null;
  // A name with a secret in it is stored without it.
  return { branch: cleanText(branch), commit: commitOf(`refs/heads/${branch}`) };
}

/** When HEAD moved last (epoch ms), by its log: a commit does not change HEAD itself. Infinity without a log. */
export function headMovedAt({ own }: Repository): number {
  const log = unlessMissing(() => statSync(join(own, "logs", "HEAD")));
  return Math.floor(log?.mtimeMs ?? Number.POSITIVE_INFINITY);
}

/**
 * Tells the commit of a ref; null for an unknown one, and where the file of packed refs is too large. That file is read once,
 * and only for a ref without its own file.
 */
export function readRefs(common: string): (ref: string) => string | null {
  let packed: string | undefined;
  return (ref) => {
    const loose = whole(join(common, ref), maxRefBytes)?.trim();
    if (loose !== undefined) return isCommit.test(loose) ? loose : null;
    packed ??= whole(join(common, "packed-refs"), maxPackedBytes) ?? "";
    const end = packed.indexOf(` ${ref}\n`);
    if (end === -1) return null;
    const commit = packed.slice(packed.lastIndexOf("\n", end) + 1, end);
    return isCommit.test(commit) ? commit : null;
  };
}

/** False for a name that git refuses, or that leads out of the folder of refs. */
export function isBranchName(name: string): boolean {
  return (
    name.length <= maxNameChars &&
    !/^[-/.]|\.\.|\/[/.]|[\p{Cc} ~^:?*[\\\u2028\u2029]|[/.]$|\.lock$/u.test(name)
  );
}

export const isCommit = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const maxNameChars = 250;
const maxRefBytes = 4_096;
// About 15,000 refs.
const maxPackedBytes = 1024 * 1024;

/** A file of at most `maxBytes`. */
function whole(path: string, maxBytes: number): string | undefined {
  const text = readSmall(path, maxBytes + 1);
  return text === null || text.length > maxBytes ? undefined : text;
}
