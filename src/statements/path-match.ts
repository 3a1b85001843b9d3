// Whether a prohibition is about a path: a file, a folder or a pattern that it says not to touch.
import { stem } from "../domain/stem.ts";
import { editVerb, type Prohibition } from "./prohibitions.ts";

/** True when the prohibition is about changing files and names this one, its folder, or a pattern that it fits. */
export function forbidsPath({ object, clause }: Prohibition, path: string): boolean {
  if (!editVerb.test(clause) && !untouchable.test(clause)) return false;
  const names = object.match(word) ?? [];
  return names.some((name) => {
    const bare = name.replace(/^`|[`.]+$/g, "");
    return isPathName(bare) ? fits(path, bare) : isFolder(path, bare);
  });
}

function isPathName(name: string): boolean {
  return /[/*]|^\.\w|\w\.[a-z]\w{0,7}$/i.test(name);
}

function fits(path: string, name: string): boolean {
  const bare = name.replace(/^(?:\.\/)+|\/+$/g, "");
  if (bare === "" || /^[./*]+$/.test(bare)) return false;
  const source = bare
    .split(/(\*\*\/?|\*)/)
    .map((part) =>
      part.startsWith("**") ? ".*" : part === "*" ? "[^/]*" : part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"),
    )
    .join("");
  return new RegExp(`(?:^|/)${source}(?:/|$)`).test(path.replaceAll("\\", "/"));
}

// "never edit migrations": a folder by its name, in the singular or plural.
function isFolder(path: string, name: string): boolean {
  const wanted = name.toLowerCase();
  if (wanted.length < minFolderChars || generic.has(wanted)) return false;
  const folders = path.toLowerCase().split(/[\\/]/).slice(0, -1);
  return folders.some(
    (folder) =>
      folder === wanted ||
      (folder.length > 4 && stem(folder) === stem(wanted)) ||
      isTranslated(folder, wanted),
  );
}

// `migrations` is Migrationen, migraciones or migrações: the beginnings are the same.
function isTranslated(folder: string, name: string): boolean {
  const shared = Math.min(folder.length, name.length, minSharedChars);
  return shared === minSharedChars && folder.slice(0, shared) === name.slice(0, shared);
}

const minFolderChars = 3;
const minSharedChars = 7;
const word = /`[^`\s]+`|[\p{L}\p{N}_@*.-][\p{L}\p{N}_@*./-]*/gu;
const untouchable = /off[- ]limits|read[- ]only|taboo|tabu/i;
const generic = new Set(
  "all any anything app code error file files here home lib main new out project projects src the thing this user users work".split(
    " ",
  ),
);
