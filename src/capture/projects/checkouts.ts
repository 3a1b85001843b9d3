// Paths of a file in other checkouts of its project: a clone, a linked work tree, the folder before a move.
import { posix } from "node:path";

export type Checkouts = ReturnType<typeof createCheckouts>;

interface CheckoutsDeps {
  labelOf(cwd: string): string;
  placeOf(cwd: string): { folder: string };
  /** Top folders of all checkouts. */
  rootsOf(project: string): string[];
}

export function createCheckouts({ labelOf, placeOf, rootsOf }: CheckoutsDeps) {
  const around = (cwd: string, project: string): string | null =>
    labelOf(cwd) === project ? placeOf(cwd).folder : null;
  return {
    /** Empty for a path outside the project. */
    elsewhere(path: string, { project, cwd = null }: { project: string; cwd?: string | null }): string[] {
      const plain = posix.normalize(path.replaceAll("\\", "/"));
      // Network shares are not read.
      if (!isAbsolutePath(plain) || /^[\\/]{2}/.test(path)) return [];
      const roots = rootsOf(project).slice(-mostRoots);
      const here = [around(posix.dirname(plain), project), cwd === null ? null : around(cwd, project)];
      const place = placeIn(plain, [...roots, ...here.filter((root) => root !== null)]);
      return place === null ? [] : roots.flatMap((root) => joined(root, place)).filter((one) => one !== path);
    },
  };
}

const mostRoots = 64;

function isAbsolutePath(plain: string): boolean {
  return /^(?:\/|[A-Za-z]:\/)/.test(plain);
}

/** Relative to the innermost root: a linked work tree may be inside the main one. */
function placeIn(plain: string, roots: readonly string[]): string | null {
  const ends = roots.map(folderStart).filter((start) => plain.startsWith(start));
  const longest = Math.max(0, ...ends.map((start) => start.length));
  return longest === 0 || plain.length === longest ? null : plain.slice(longest);
}

function folderStart(root: string): string {
  const plain = root.replaceAll("\\", "/");
  return plain.endsWith("/") ? plain : `${plain}/`;
}

function joined(root: string, place: string): string[] {
  const whole = `${folderStart(root)}${place}`;
  return root.includes("\\") ? [whole, whole.replaceAll("/", "\\")] : [whole];
}
