// Marks records of git branches that are not merged where the reader works.
import type { Observation } from "../core/records/records.ts";
import type { ContextPort } from "./context-port.ts";
import { plainLine } from "./quote.ts";

/** The port with marked records. Rules apply on every branch. `cwd`: where the reader works, if known. */
export function markingUnmerged(port: ContextPort, cwd: string | null): ContextPort {
  const { unmergedAt, statements, relevant } = port;
  if (unmergedAt === undefined) return port;
  const tests = new Map<string, ReturnType<typeof unmergedAt>>();
  const marked = <R extends Markable>(project: string, records: R[]): R[] => {
    const test = tests.get(project) ?? unmergedAt(project, cwd);
    tests.set(project, test);
    if (test === null) return records;
    return records.map((one) => {
      const unmerged = one.standing === 1 ? null : test(one);
      return unmerged === null ? one : { ...one, unmerged };
    });
  };
  return {
    ...port,
    forContext: (request) => marked(request.project, port.forContext(request)),
    pinned: (project, limit) => marked(project, port.pinned(project, limit)),
    byFile(request) {
      const { observations, total } = port.byFile(request);
      return { observations: mergedFirst(marked(request.project, observations)), total };
    },
    relevant: relevant && (async (request) => marked(request.project, await relevant({ ...request, cwd }))),
    statements: statements && {
      ...statements,
      statements: (request) => marked(request.project, statements.statements(request)),
      fixesOf: (request) => marked(request.project, statements.fixesOf(request)),
      rankable: (project, limit) => marked(project, statements.rankable(project, limit)),
    },
  };
}

type Markable = Pick<Observation, "branch" | "created_at_epoch" | "standing" | "unmerged">;

/** The same order, with the unmerged ones last. */
export function mergedFirst<R extends Pick<Markable, "unmerged">>(records: readonly R[]): R[] {
  const isMerged = ({ unmerged }: Pick<Markable, "unmerged">) => unmerged === undefined;
  return [...records.filter(isMerged), ...records.filter((one) => !isMerged(one))];
}

/** The mark in brackets, behind a space; empty for a merged record. */
export function branchMark({ unmerged }: Pick<Markable, "unmerged">): string {
  return unmerged === undefined ? "" : ` (${unmergedNote(unmerged)})`;
}

export function unmergedNote(branch: string): string {
  return `branch ${plainLine(branch, maxNameChars)}, not merged`;
}

const maxNameChars = 60;
