// The place of a directory: its work tree, the identities of its project, and possible labels.
import { basename, dirname, isAbsolute, join } from "node:path";
import type { Clock } from "../../core/clock.ts";
import { firstRemoteUrl, remoteIdentity } from "./remote.ts";
import type { RootCommits } from "./root-commits.ts";
import {
  findWorkTree,
  isWindowsPath,
  type Repository,
  readSmall,
  realPath,
  type WorkTree,
} from "./work-tree.ts";

export interface Place {
  /** Top folder of the work tree, and of the repository's main one. */
  folder: string;
  main: string;
  repository: Repository | null;
  /** Hash of the repository's object ids. */
  objectFormat: "sha1" | "sha256";
  /**
   * Strongest first: the remote; the first commit, with the path of the remote if there is one; the first commit with the
   * folder; the folder.
   */
  identities: string[];
  /** Best first; any but the last may belong to another project. */
  labels: string[];
}

interface PlacesDeps {
  clock: Clock;
  home: string;
  rootCommits: Pick<RootCommits, "of">;
}

/** Cached: every event of a host needs a place. */
export function createPlaces({ clock, home, rootCommits }: PlacesDeps): (cwd: string) => Place {
  const known = new Map<string, { place: Place; until: number }>();
  const realHome = realPath(home);
  return (cwd) => {
    const now = clock.monotonicMs();
    const found = known.get(cwd);
    if (found !== undefined && now < found.until) return found.place;
    const tree = findWorkTree(cwd, realHome);
    const root = tree.gitDir === null ? null : rootCommits.of(tree.gitDir);
    const place = placeOf(tree, root ?? null);
    if (known.size >= mostKnown) known.clear();
    if (root !== undefined) known.set(cwd, { place, until: now + keptMs });
    return place;
  };
}

const mostKnown = 1_000;
// Long enough for a burst of events, short enough to notice a new remote.
const keptMs = 10_000;
const maxConfigBytes = 256 * 1024;

function placeOf({ folder, main, gitDir, ownDir }: WorkTree, root: string | null): Place {
  const isWhole = isAbsolute(main) || isWindowsPath(main);
  // A transcript or another system spells the same folder in another form of Unicode.
  const spellings = isWhole ? new Set([main, main.normalize("NFC")]) : [];
  const identities = [...spellings].map((spelling) => `path:${spelling}`);
  const config = gitDir === null ? "" : (readSmall(join(gitDir, "config"), maxConfigBytes) ?? "");
  if (gitDir !== null) {
    const url = firstRemoteUrl(config);
    const remote = url === null ? null : remoteIdentity(url);
    if (root !== null) {
      // A renamed or replaced remote in the same folder; another name of the remote's host in another one.
      identities.unshift(`here:${root} ${main}`);
      if (remote === null) identities.unshift(`root:${root}`);
      else identities.unshift(`origin:${root} ${remote.replace(/^[^/]*\//, "").toLowerCase()}`);
    }
    if (remote !== null) identities.unshift(`remote:${remote}`);
  }
  // Blanks of one line only: `\s` would make a file of empty lines quadratic.
  const objectFormat = /^[ \t]*objectformat[ \t]*=[ \t]*"?sha256\b/im.test(config) ? "sha256" : "sha1";
  const repository = gitDir === null || ownDir === null ? null : { own: ownDir, common: gitDir };
  return { folder, main, repository, objectFormat, identities, labels: labelsOf(main) };
}

/** `name`, `parent/name` and so on up to the whole path. */
function labelsOf(folder: string): string[] {
  if (!isAbsolute(folder)) return [basename(folder.replaceAll("\\", "/")) || "root"];
  const labels: string[] = [];
  let label = "";
  for (let at = folder; dirname(at) !== at; at = dirname(at)) {
    const name = label === "" ? basename(at).replace(/(?<=.)\.git$/, "") : basename(at);
    label = label === "" ? name : `${name}/${label}`;
    labels.push(label);
  }
  return labels.length === 0 ? ["root", folder] : [...labels, folder];
}
