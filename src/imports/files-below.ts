// The files below a folder. A part that cannot be read is named, and the rest is found.
import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { extname, join } from "node:path";

export interface FoundFile {
  path: string;
  bytes: number;
  changedAt: number;
}

interface Wanted {
  /** Whether a file with this name is looked for. */
  file(name: string): boolean;
  folder(name: string): boolean;
}

interface FilesBelow {
  files: FoundFile[];
  /** Folders and files that could not be looked at, with the errors. */
  failed: { path: string; thrown: unknown }[];
}

/** Follows links, and looks into a folder once: it may link to itself. Throws where `root` cannot be read. */
export function filesBelow(root: string, wanted: Wanted): FilesBelow {
  const found: FilesBelow = { files: [], failed: [] };
  const seen = new Set<string>();
  const inFolder = (folder: string): void => {
    const real = realpathSync(folder);
    if (seen.has(real)) return;
    seen.add(real);
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      const isFolder = entry.isDirectory() || (entry.isSymbolicLink() && existsSync(`${path}/.`));
      // A link to nothing may have been one to a folder, of a disk that is not there; `x.lock` is none.
      const isLost = entry.isSymbolicLink() && extname(entry.name) === "" && !existsSync(path);
      const isWanted = isFolder ? wanted.folder(entry.name) : wanted.file(entry.name);
      if (!isWanted && !(isLost && wanted.folder(entry.name))) continue;
      try {
        if (isFolder) {
          inFolder(path);
          continue;
        }
        const stats = statSync(path);
        if (stats.isFile()) found.files.push({ path, bytes: stats.size, changedAt: stats.mtimeMs });
      } catch (thrown) {
        found.failed.push({ path, thrown });
      }
    }
  };
  inFolder(root);
  return found;
}
