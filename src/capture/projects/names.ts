// Which project a directory belongs to, and what it is called: two folders of one name are two projects, a folder that
// was moved stays the one it was.
import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { contentKey } from "../../core/ids.ts";
import { cleanText } from "../../privacy/clean.ts";
import type { Place } from "./places.ts";

export interface NamedProject {
  id: number;
  label: string;
}

/** What is known of projects. The SQLite store fits it structurally. */
export interface KnownProjects {
  byIdentity(identity: string): NamedProject | undefined;
  identitiesOf(id: number): string[];
  byLabel(label: string): NamedProject | undefined;
  /** The project that had the label before it was renamed or merged. */
  byAlias(label: string): NamedProject | undefined;
  ensure(label: string): number;
  /** The identity is that of the project from now on, whichever had it. */
  identify(identity: string, id: number): void;
  setFolder(id: number, folder: string): void;
  folderOf(id: number): string | null;
}

export interface ProjectNames {
  /** The label of the directory's project, or what it would be called; writes nothing. */
  labelOf(cwd: string): string;
  /** `labelOf`, and what is new of the project is kept. Runs in the transaction of what is stored under the label. */
  claim(cwd: string): string;
  /** What a label means today: that of the project which had it before. */
  current(label: string): string;
}

export function createProjectNames(placeOf: (cwd: string) => Place, projects: KnownProjects): ProjectNames {
  // A place is read once for many events; cleaning it would cost more than all the rest.
  const cleaned = new WeakMap<Place, Place>();
  function whereIs(cwd: string): Place {
    const place = placeOf(cwd);
    const known = cleaned.get(place) ?? storable(place);
    cleaned.set(place, known);
    return known;
  }
  // Whoever unpacks an archive can be made to bring any remote: another folder is the project's only once its own is gone.
  function holdsStill(folder: string | null, id: number): boolean {
    return folder !== null && existsSync(folder) && recognise(whereIs(folder), projects)?.id === id;
  }
  return {
    labelOf: (cwd) => labelFor(whereIs(cwd), projects),
    claim(cwd) {
      const place = whereIs(cwd);
      const known = recognise(place, projects);
      const label = known?.label ?? freeLabel(place, projects);
      const id = known?.id ?? projects.ensure(label);
      for (const identity of place.identities)
        if (projects.byIdentity(identity)?.id !== id) projects.identify(identity, id);
      if (place.identities.length > 0 && projects.folderOf(id) !== place.folder) {
        if (!holdsStill(projects.folderOf(id), id)) projects.setFolder(id, place.folder);
        // A linked work tree is removed one day, and what was done in it is found by its folder.
        const linked = `path:${place.folder}`;
        const isWhole = placeOf(cwd).folder === place.folder && isAbsolute(place.folder);
        if (isWhole && projects.byIdentity(linked) === undefined) projects.identify(linked, id);
      }
      return label;
    },
    current: (label) => projects.byAlias(label)?.label ?? label,
  };
}

function labelFor(place: Place, projects: KnownProjects): string {
  return recognise(place, projects)?.label ?? freeLabel(place, projects);
}

/**
 * The project that has one of the identities. One that has a stronger identity of its own, and another one, was here
 * before: a folder may hold another repository today.
 */
function recognise({ identities }: Place, projects: KnownProjects): NamedProject | undefined {
  for (const [rank, identity] of identities.entries()) {
    const project = projects.byIdentity(identity);
    if (project === undefined) continue;
    if (rank === 0) return project;
    const stronger = new Set(identities.slice(0, rank).map(kindOf));
    if (!projects.identitiesOf(project.id).some((own) => stronger.has(kindOf(own)))) return project;
  }
  return undefined;
}

/** A label that nobody has, or that a project has of which nothing but the label is known: that is taken over. */
function freeLabel({ labels }: Place, projects: KnownProjects): string {
  const isFree = (label: string): boolean => {
    if (label === ofNobody || projects.byAlias(label) !== undefined) return false;
    const holder = projects.byLabel(label);
    return holder === undefined || projects.identitiesOf(holder.id).length === 0;
  };
  const free = labels.find(isFree);
  if (free !== undefined) return free;
  const last = labels.at(-1) ?? "root";
  for (let number = 2; ; number += 1) if (isFree(`${last} ${number}`)) return `${last} ${number}`;
}

// What came without a directory stands under it: that is no folder's, whatever it is called.
const ofNobody = "unknown";

function kindOf(identity: string): string {
  return identity.slice(0, identity.indexOf(":"));
}

// All of it reaches the disk; what may not be stored is told apart by its hash.
function storable({ folder, identities, labels, ...rest }: Place): Place {
  return {
    ...rest,
    folder: cleanText(folder),
    identities: identities.map((text) =>
      cleanText(text) === text ? text : `${kindOf(text)}:#${contentKey(text)}`,
    ),
    labels: labels.map((label) => cleanText(label)),
  };
}
