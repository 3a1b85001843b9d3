// Which records are of a branch that is not merged where somebody asks.
import { createReadGit, type ReadGit } from "../capture/projects/git.ts";
import { type Head, headMovedAt, headOf, isBranchName, isCommit } from "../capture/projects/git-head.ts";
import { type CheckedBranch, defaultNames } from "../capture/projects/merged-branches.ts";
import type { Clock } from "../core/clock.ts";
import { failOpen } from "../core/errors.ts";
import { RecentMap } from "../core/recent-map.ts";
import type { GitPlace } from "../core/records/records.ts";
import type { AskedAt } from "../recall/search-port.ts";
import type { Environment } from "../settings/environment.ts";
import { findExecutable } from "../settings/executable.ts";
import type { BranchedRecord, BranchRow } from "../store/sqlite/branches.ts";
import type { Store } from "../store/sqlite/store.ts";
import { type AskedPlace, createBranchChecks, mostBranches, readPlace } from "./branch-checks.ts";
import { foldersOf, type WorkerProjects } from "./projects.ts";

interface BranchesDeps {
  store: Pick<Store, "branches" | "projects" | "commit">;
  clock: Clock;
  projects: Pick<WorkerProjects, "placeOf" | "labelOf">;
  /** Null without the program: then no record is marked. */
  git: ReadGit | null;
}

/** A record as far as its branch matters. */
type OfBranch = GitPlace & { created_at_epoch: number };

/** The branch of a record that is not merged; null for another one. */
type UnmergedTest = (record: OfBranch) => string | null;

export type RecordKind = keyof Store["branches"]["branched"];

export interface WorkerBranches {
  /** The branch and commit of a directory's work tree; null without a repository, and if it moved after `at`. */
  gitPlaceOf(cwd: string, at?: number): GitPlace | null;
  /** Null when every record of the project counts as merged where `cwd` is. */
  unmergedAt(project: string, cwd: string | null): UnmergedTest | null;
  /** Of these records: the branch of those that are not merged. With a project, only its records are looked at. */
  unmerged(kind: RecordKind, ids: readonly number[], at: AskedAt): ReadonlyMap<number, string>;
  /** Waits a moment for the check of a work tree that just moved. */
  settle(cwd: string): Promise<void>;
  /** Resolves when no check runs. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/** With the git that the worker's PATH has. */
export function buildBranches({ env, ...deps }: Omit<BranchesDeps, "git"> & { env: Environment }) {
  const program = findExecutable(env, "git");
  return createBranches({ ...deps, git: program === null ? null : createReadGit(program) });
}

export function createBranches({ store, clock, projects, git }: BranchesDeps): WorkerBranches {
  const { branches } = store;
  const places = createPlaces(store, clock, projects);
  const checks = git === null ? null : createBranchChecks({ store, clock, git, onChange: places.forget });
  const addUnknown = createAddUnknown(store, clock);

  function unmergedAt(project: string, cwd: string | null): UnmergedTest | null {
    const place = checks === null ? null : places.at(project, cwd);
    if (checks === null || place === null) return null;
    const { here, before } = checks.ask(place);
    // Until the check of this place is done, what an earlier one said of the default branch is used.
    const isOpen = (one: CheckedBranch | undefined): boolean =>
      one?.isInDefault !== true && (here === undefined ? one?.isInDefault : one?.isInHead) === false;
    const open = new Map<string, number>();
    for (const row of place.rows)
      if (isOther(row, place.head) && isOpen((here ?? before)?.get(row.branch)))
        open.set(row.branch, row.merged_until_epoch);
    if (open.size === 0) return null;
    return ({ branch = null, created_at_epoch: at }) => {
      const until = branch === null ? undefined : open.get(branch);
      return until === undefined || at <= until ? null : branch;
    };
  }

  return {
    gitPlaceOf(cwd, at) {
      const { repository } = projects.placeOf(cwd);
      if (repository === null || (at !== undefined && headMovedAt(repository) > at)) return null;
      return headOf(repository);
    },
    unmergedAt,
    unmerged(kind, ids, { project: only, cwd }) {
      const found = new Map<number, string>();
      const tests = new Map<string, UnmergedTest | null>();
      if (only !== null) {
        const test = unmergedAt(only, cwd);
        if (test === null) return found;
        tests.set(only, test);
      }
      for (const record of branches.branched[kind](ids)) {
        const { project } = record;
        const test = tests.has(project) ? tests.get(project) : unmergedAt(project, cwd);
        tests.set(project, test ?? null);
        const branch = test?.(record) ?? null;
        if (branch !== null) found.set(record.id, branch);
        else addUnknown.add(record);
      }
      return found;
    },
    async settle(cwd) {
      const project = projects.labelOf(cwd);
      places.forget();
      unmergedAt(project, cwd);
      await checks?.settle(project);
    },
    idle: async () => checks?.idle(),
    async close() {
      await checks?.close();
      await addUnknown.idle();
    },
  };
}

/** The places that were asked for. One search asks several times, and each reading reads files and up to 1,000 rows. */
function createPlaces(store: BranchesDeps["store"], clock: Clock, projects: BranchesDeps["projects"]) {
  const recent = new RecentMap<string, { place: AskedPlace | null; at: number }>(mostPlaces);

  function read(project: string, cwd: string | null): AskedPlace | null {
    const rows = store.branches.of(project, mostBranches);
    if (rows.length === 0) return null;
    const isHere = cwd !== null && projects.labelOf(cwd) === project;
    const folder = isHere ? cwd : foldersOf(store, project).roots.at(-1);
    const repository = folder === undefined ? null : projects.placeOf(folder).repository;
    if (repository === null) return null;
    const place = readPlace({ project, repository, rows });
    return rows.some((row) => isOther(row, place.head)) ? place : null;
  }

  return {
    /** Null where every record counts as merged without a check. */
    at(project: string, cwd: string | null): AskedPlace | null {
      const key = JSON.stringify([project, cwd]);
      const now = clock.now();
      const known = recent.get(key);
      if (known !== undefined && Math.abs(now - known.at) < placeMs) return known.place;
      const place = read(project, cwd);
      recent.set(key, { place, at: now });
      return place;
    },
    forget: () => recent.clear(),
  };
}

const mostPlaces = 32;
const placeMs = 1_000;

function isOther({ branch }: BranchRow, head: Head | null): boolean {
  return branch !== head?.branch && !defaultNames.includes(branch);
}

/** Adds the branches that come with records of other devices and of imports. */
function createAddUnknown({ branches, commit: write }: BranchesDeps["store"], clock: Clock) {
  const seen = new RecentMap<string, true>(mostBranches);
  let adding: Promise<unknown> = Promise.resolve();
  const add = ({ project, branch, commit: tip }: BranchedRecord): void => {
    const key = `${project}\0${branch}`;
    if (seen.has(key)) return;
    seen.set(key, true);
    if (tip === null || !isCommit.test(tip) || !isBranchName(branch)) return;
    if (branches.of(project, mostBranches).some((row) => row.branch === branch)) return;
    const work = failOpen("adding a branch", () =>
      write(() => branches.add({ project, branch, tip, now: clock.now() })),
    );
    adding = Promise.all([adding, work]);
  };
  return { add, idle: () => adding };
}
