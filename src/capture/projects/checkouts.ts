// The same file in the other checkouts of a project: a clone, a linked work tree, the folder before it was moved.
import { posix } from "node:path";

export interface Checkouts {
  /** Top folder of the work tree around a directory; null for one of another project: an agent may step out of its own. */
  around(cwd: string, project: string): string | null;
  /** The paths that an absolute path of the project has in its other checkouts; none for a path outside of it. */
  elsewhere(path: string, where: { project: string; cwd?: string | null }): string[];
}

interface CheckoutsDeps {
  labelOf(cwd: string): string;
  placeOf(cwd: string): { folder: string };
  /** Every top folder that the project was seen in. */
  rootsOf(project: string): string[];
}

export function createCheckouts({ labelOf, placeOf, rootsOf }: CheckoutsDeps): Checkouts {
  const around = (cwd: string, project: string): string | null =>
    labelOf(cwd) === project ? placeOf(cwd).folder : null;
  return {
    around,
    elsewhere(path, { project, cwd = null }) {
      const plain = posix.normalize(path.replaceAll("\\", "/"));
      // A share of the network that somebody names is not visited.
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

/** From the innermost of the roots: a linked work tree may lie inside of the main one. */
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
