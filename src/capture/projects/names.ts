// The project of a directory and its label. Two folders with one name are two projects; a moved folder keeps its project.
import { existsSync } from "node:fs";
import { basename, dirname, isAbsolute } from "node:path";
import { contentKey } from "../../core/ids.ts";
import { cleanText } from "../../privacy/clean.ts";
import type { Place } from "./places.ts";
import { remoteIdentity } from "./remote.ts";
import type { RootCommits } from "./root-commits.ts";

export interface NamedProject {
  id: number;
  label: string;
}

/** Stored projects. */
export interface KnownProjects {
  byIdentity(identity: string): NamedProject | undefined;
  identitiesOf(id: number): string[];
  byLabel(label: string): NamedProject | undefined;
  /** The project that had the label before it was renamed or merged. */
  byAlias(label: string): NamedProject | undefined;
  ensure(label: string): number;
  /** Moves the identity to the project. */
  identify(identity: string, id: number): void;
  setFolder(id: number, folder: string): void;
  folderOf(id: number): string | null;
}

export type ProjectNames = ReturnType<typeof createProjectNames>;

export function createProjectNames(
  placeOf: (cwd: string) => Place,
  projects: KnownProjects,
  rootAsked: RootCommits["asked"] = () => undefined,
) {
  // A cached place serves many events; cleaning it each time would cost more than everything else.
  const cleaned = new WeakMap<Place, Place>();
  function whereIs(cwd: string): Place {
    const place = placeOf(cwd);
    const known = cleaned.get(place) ?? storable(place);
    cleaned.set(place, known);
    return known;
  }
  // An unpacked archive can claim any remote: a project gets another folder only when its own is gone.
  function holdsStill(folder: string | null, id: number): boolean {
    return folder !== null && existsSync(folder) && recognise(whereIs(folder), projects)?.id === id;
  }
  /** `labelOf`, and stores what is new about the project. Runs in the transaction of the event. */
  function claim(cwd: string, place = whereIs(cwd)): string {
    const known = recognise(place, projects);
    const label = known?.label ?? freeLabel(place, projects);
    const id = known?.id ?? projects.ensure(label);
    for (const identity of place.identities)
      if (projects.byIdentity(identity)?.id !== id) projects.identify(identity, id);
    if (place.identities.length > 0 && projects.folderOf(id) !== place.folder) {
      if (!holdsStill(projects.folderOf(id), id)) projects.setFolder(id, place.folder);
      // Records of a linked work tree are found by its folder after it is removed.
      const linked = `path:${place.folder}`;
      const isWhole = placeOf(cwd).folder === place.folder && isAbsolute(place.folder);
      if (isWhole && projects.byIdentity(linked) === undefined) projects.identify(linked, id);
    }
    return label;
  }
  /** A work tree that is gone, with the remote that it had; undefined where a repository is there. */
  function goneAt(cwd: string, url: string): Place | undefined {
    const place = whereIs(cwd);
    const remote = remoteIdentity(url);
    if (place.repository !== null || remote === null || existsSync(place.folder)) return undefined;
    return storable({ ...place, identities: [`remote:${remote}`, ...place.identities] });
  }
  return {
    /** The label of the directory's project, or the one it would get; writes nothing. */
    labelOf: (cwd: string) => labelFor(whereIs(cwd), projects),
    /**
     * `claim` for a directory in another repository than that of the session; undefined in it, outside of any, and for a
     * session whose client named its project.
     */
    elsewhere(cwd: string, session: { project: string; cwd?: string | null }): string | undefined {
      if (!session.cwd || session.cwd === cwd || !isAbsolute(cwd)) return undefined;
      const [place, own] = [whereIs(cwd), whereIs(session.cwd)];
      const isNamed = recognise(own, projects)?.label !== session.project;
      if (isNamed || place.folder === own.folder) return undefined;
      if (place.repository === null && !isGoneBeside(place, own)) return undefined;
      const label = claim(cwd);
      return label === session.project ? undefined : label;
    },
    /** `labelOf` and `claim` of a work tree that is gone, by the remote that it had; undefined for any other place. */
    labelOfGone(cwd: string, url: string): string | undefined {
      const place = goneAt(cwd, url);
      return place && labelFor(place, projects);
    },
    claimGone(cwd: string, url: string): void {
      const place = goneAt(cwd, url);
      if (place !== undefined) claim(cwd, place);
    },
    /** Resolves when the first commit of an unknown repository is known; undefined where there is nothing to wait for. */
    settle(cwd: string): Promise<void> | undefined {
      const { repository, identities } = whereIs(cwd);
      const isKnown = projects.byIdentity(identities[0] ?? "") !== undefined;
      return repository === null || isKnown ? undefined : rootAsked(repository.common);
    },
    claim: (cwd: string) => claim(cwd),
    /** The present label of the project that has or had this one. */
    current: (label: string) => projects.byAlias(label)?.label ?? label,
  };
}

// Of a past session no repository may be left to tell. A linked work tree is often `app-fix` beside `app`.
function isGoneBeside({ folder }: Place, own: Place): boolean {
  const isBeside = dirname(folder) === dirname(own.folder);
  const isTree = basename(folder).startsWith(basename(own.folder));
  return isBeside && !isTree && !existsSync(own.folder) && !existsSync(folder);
}

function labelFor(place: Place, projects: KnownProjects): string {
  return recognise(place, projects)?.label ?? freeLabel(place, projects);
}

/**
 * The project with one of the identities. A project whose stronger identity is a different one was in the folder before
 * the present repository, unless the first commit is the same.
 */
function recognise({ identities }: Place, projects: KnownProjects): NamedProject | undefined {
  for (const [rank, identity] of identities.entries()) {
    const project = projects.byIdentity(identity);
    if (project === undefined) continue;
    if (rank === 0 || /^(?:here|origin):/.test(identity)) return project;
    const stronger = new Set(identities.slice(0, rank).map(kindOf));
    // A folder has two where its name has two spellings.
    stronger.delete(kindOf(identity));
    if (!projects.identitiesOf(project.id).some((own) => stronger.has(kindOf(own)))) return project;
  }
  return undefined;
}

/** A free label, or the label of a project without identities, which is taken over. */
function freeLabel({ labels }: Place, projects: KnownProjects): string {
  const isFree = (label: string): boolean => {
    if (label === withoutDirectory || projects.byAlias(label) !== undefined) return false;
    const holder = projects.byLabel(label);
    return holder === undefined || projects.identitiesOf(holder.id).length === 0;
  };
  const free = labels.find(isFree);
  if (free !== undefined) return free;
  const last = labels.at(-1) ?? "root";
  for (let number = 2; ; number += 1) if (isFree(`${last} ${number}`)) return `${last} ${number}`;
}

// The label of events without a directory; no folder gets it.
const withoutDirectory = "unknown";

function kindOf(identity: string): string {
  return identity.slice(0, identity.indexOf(":"));
}

// Everything is stored, so it is cleaned; an identity that may not be stored is replaced by its hash.
function storable({ folder, identities, labels, ...rest }: Place): Place {
  return {
    ...rest,
    folder: cleanText(folder),
    identities: identities.map((text) =>
      cleanText(text) === text ? text : `${kindOf(text)}:#${contentKey(text)}`,
    ),
    labels: labels.map((label) => cleanText(label).normalize("NFC")),
  };
}
