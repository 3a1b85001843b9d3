// The timeline of a file: all records about it, under every spelling of its path.
import { dirname, isAbsolute, posix } from "node:path";
import { type Observation, type Parsed, parseLists } from "../core/records/records.ts";
import { projectToken } from "../core/records/scope-token.ts";
import type { AskedAt } from "./search-port.ts";

/** A file that changed since its record was stored. */
export interface FileChange {
  path: string;
  is: "changed" | "gone";
}

export interface ByFilePort {
  /** The label of the project around a directory, with or without records. */
  projectOf(cwd: string): string;
  /** The id of a project label, or undefined when no record has it. */
  projectId(label: string): number | undefined;
  /** The paths of the same file in other checkouts of a project. */
  elsewhere(path: string, where: { project: string }): string[];
  find(request: {
    paths: readonly string[];
    ends: { paths: readonly string[]; match: string } | null;
    projects: readonly string[];
    limit: number;
  }): { observations: Observation[]; total: number };
  /** Files that changed since, by observation. Never throws. */
  changedSince(request: {
    observations: readonly number[];
    project: string;
    cwd: string | null;
  }): Promise<ReadonlyMap<number, readonly FileChange[]>>;
  /** The branch of each observation that is not merged where somebody asks. Default: all are merged. */
  unmerged?: ((ids: readonly number[], at: AskedAt) => ReadonlyMap<number, string>) | undefined;
}

export interface FileTimelineRequest {
  path: string;
  /** Labels; empty for all projects. */
  projects: readonly string[];
  /** Without labels: only records of its project and of the project around an absolute path. */
  cwd?: string | undefined;
  limit: number;
}

export type FileObservation = Parsed<Observation> & { changed_since?: FileChange[] };

export interface ByFile {
  /** Newest first. */
  of(request: FileTimelineRequest): Promise<{ observations: FileObservation[]; total: number }>;
}

export function createByFile(port: ByFilePort): ByFile {
  return {
    async of({ path, cwd, limit, ...given }) {
      const projects = given.projects.length > 0 ? given.projects : projectsAround(port, path, cwd);
      const known = projects.filter((label) => port.projectId(label) !== undefined);
      if (projects.length > 0 && known.length === 0) return { observations: [], total: 0 };
      const { observations, total } = port.find({ ...spellings(port, path, known), projects: known, limit });
      const folder = folderOf(path);
      const changes = await changesOf(port, observations, folder);
      const ids = observations.map(({ id }) => id);
      const others = port.unmerged?.(ids, { project: null, cwd: cwd ?? folder });
      return {
        observations: observations.map((observation) => {
          const changed = changes.get(observation.id);
          return {
            ...parseLists(observation),
            ...(changed && { changed_since: [...changed] }),
            ...(others?.has(observation.id) && { merged: false }),
          };
        }),
        total,
      };
    },
  };
}

function projectsAround(port: ByFilePort, path: string, cwd: string | undefined): string[] {
  if (cwd === undefined) return [];
  const folder = folderOf(path);
  return [...new Set([cwd, ...(folder === null ? [] : [folder])].map((each) => port.projectOf(each)))];
}

async function changesOf(port: ByFilePort, observations: readonly Observation[], cwd: string | null) {
  const byProject = new Map<string, number[]>();
  for (const { id, project } of observations) byProject.set(project, [...(byProject.get(project) ?? []), id]);
  const found = await Promise.all(
    [...byProject].map(([project, ids]) => port.changedSince({ observations: ids, project, cwd })),
  );
  return new Map(found.flatMap((changes) => [...changes]));
}

/** The folder of an absolute path; null for a network share, which is never read. */
function folderOf(path: string): string | null {
  return isAbsolute(path) && !/^[\\/]{2}/.test(path) ? dirname(path) : null;
}

// An absolute path may be stored relative to the project's root, so its endings match too, except the bare name: every
// folder has an index.ts. A relative path matches the end of stored paths.
function spellings(port: ByFilePort, path: string, projects: readonly string[]) {
  const plain = posix.normalize(path.replaceAll("\\", "/"));
  const whole = [...new Set([path, plain, plain.replaceAll("/", "\\")])];
  if (/^(?:\/|[A-Za-z]:\/)/.test(plain)) {
    const elsewhere = projects.flatMap((project) => port.elsewhere(path, { project }));
    const ends = projects.length === 0 ? [] : endsOf(plain);
    return { paths: [...new Set([...whole, ...elsewhere, ...ends])], ends: null };
  }
  const match = matchOf(port, plain, projects);
  return { paths: whole, ends: match === null ? null : { paths: whole, match } };
}

const maxEnds = 16;

function endsOf(plain: string): string[] {
  const parts = plain.split("/");
  const ends = parts.slice(1, -1).map((_, index) => parts.slice(index + 1).join("/"));
  return ends.slice(-maxEnds).flatMap((end) => [end, end.replaceAll("/", "\\")]);
}

// Tokens as the full-text index splits a path.
const tokenPattern = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;
const maxTokens = 32;

function matchOf(port: ByFilePort, plain: string, projects: readonly string[]): string | null {
  const tokens = plain.match(tokenPattern)?.slice(-maxTokens) ?? [];
  if (tokens.length === 0) return null;
  const phrase = `files : "${tokens.join(" ")}"`;
  const [only] = projects;
  const id = projects.length === 1 && only !== undefined ? port.projectId(only) : undefined;
  return id === undefined ? phrase : `scope : "${projectToken(id)}" AND ${phrase}`;
}
