// Reads the memory files of a host, with the files that they import, and keeps what was read until a file changes.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Place } from "../capture/projects/places.ts";
import { type Written, writtenIn } from "../context/written.ts";
import { unlessMissing } from "../core/error-code.ts";
import { failOpenSync } from "../core/errors.ts";
import { memoryFilesOf } from "../hosts/memory-files.ts";

/**
 * The sentences in the memory files of a host for a session in `cwd`, and the marks of what its agent keeps itself.
 * `recorded` are its folders with a record.
 */
export function createHostMemory(
  home: string,
  environment: Readonly<Record<string, string | undefined>>,
  recorded: (host: string) => readonly string[] = () => [],
  ownMarks: (host: string, cwd: string) => readonly string[] = () => [],
  placeOf?: (cwd: string) => Pick<Place, "folder" | "main">,
): (host: string, cwd: string) => Promise<Written> {
  const readFile = createFileCache();
  return async (host, cwd) => {
    const seen = new Set<string>();
    const read = (path: string, depth: number): string[] => {
      if (seen.has(path) || seen.size >= maxFiles) return [];
      const file = readFile(path);
      if (file === null) return [];
      seen.add(path);
      const imported =
        depth === 0 ? [] : file.imports.flatMap((one) => read(pathOf(one, path, home), depth - 1));
      return [...file.written, ...imported];
    };
    const place = placeOf?.(cwd);
    const roots = place === undefined ? [] : [place.folder, place.main];
    const where = { cwd, home, environment, recorded: recorded(host), roots };
    const files = memoryFilesOf(host, where).flatMap(expanded);
    return new Set([...files.flatMap((path) => read(path, importDepth)), ...ownMarks(host, cwd)]);
  };
}

const maxFiles = 60;
// Claude Code follows imports of imports up to this depth.
const importDepth = 5;
const maxBytes = 512 * 1024;

interface MemoryFile {
  written: Written;
  /** As in the text: `docs/rules.md`, `~/rules.md`. */
  imports: string[];
}

// Most folders above a project have no such file: one failing stat each.
function createFileCache(): (path: string) => MemoryFile | null {
  const cache = new Map<string, { version: string; file: MemoryFile }>();
  return (path) => {
    const stats = failOpenSync("look at a memory file", () => unlessMissing(() => statSync(path)));
    if (stats === undefined || !stats.isFile() || stats.size > maxBytes) return null;
    const version = `${stats.mtimeMs} ${stats.size}`;
    const known = cache.get(path);
    if (known?.version === version) return known.file;
    const text = failOpenSync("read a memory file", () => readFileSync(path, "utf8"));
    if (text === undefined) return null;
    const file = { written: writtenIn(text), imports: importsIn(text) };
    if (cache.size >= maxCached) cache.clear();
    cache.set(path, { version, file });
    return file;
  };
}

const maxCached = 500;

function importsIn(text: string): string[] {
  return [...text.matchAll(/(?:^|\s)@((?:~\/|\.{0,2}\/)?[\w.-]+(?:\/[\w.-]+)*\.\w+)/g)].flatMap(
    ([, path]) => path ?? [],
  );
}

function pathOf(imported: string, from: string, home: string): string {
  return imported.startsWith("~/") ? join(home, imported.slice(2)) : resolve(dirname(from), imported);
}

// A name that ends in `/` stands for the Markdown files in that folder.
function expanded(path: string): string[] {
  if (!path.endsWith("/")) return [path];
  const names = failOpenSync("list memory files", () =>
    unlessMissing(() => statSync(path))?.isDirectory() === true ? readdirSync(path) : [],
  );
  return (names ?? [])
    .filter((name) => name.endsWith(".md"))
    .toSorted()
    .map((name) => join(path, name));
}
