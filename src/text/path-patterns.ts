// Globs of paths that are never recorded, and texts that name such a path. Without Node: hooks load it too.

/** True for a path that a pattern means, or that is below such a folder. */
export type PathMatcher = (path: string) => boolean;

/**
 * `*` and `?` stay within a name, `**` does not. A pattern that begins with neither `/`, `~` nor a drive is meant at any
 * depth. Null without patterns.
 */
export function pathMatcher(patterns: readonly string[], home: string): PathMatcher | null {
  const sources = patterns.map((pattern) => sourceOf(slashed(pattern.trim()), slashed(home))).filter(Boolean);
  if (sources.length === 0) return null;
  const isMeant = new RegExp(`^(?:${sources.join("|")})(?:/|$)`, "iu");
  return (path) => isMeant.test(normalized(slashed(path), slashed(home)));
}

const maxTextChars = 1_000_000;

/** True when a word of the text is such a path, alone or below `cwd`. */
export function namesPath(text: string, isMeant: PathMatcher, cwd: string | undefined): boolean {
  for (const [word] of text.slice(0, maxTextChars).matchAll(/[^\s"'`<>|;,(){}[\]=]+/g)) {
    const path = word.replace(/^file:\/\//, "").replace(/[:.]+\d*[:.]*$/, "");
    if (path === "") continue;
    if (isMeant(isAbsolute(path) || cwd === undefined ? path : `${cwd}/${path}`)) return true;
  }
  return false;
}

function sourceOf(pattern: string, home: string): string {
  const path = pattern.replace(/^~(?=\/|$)/, home).replace(/(?:\/(?:\*\*)?)+$/, "");
  if (path === "") return "";
  const glob = path
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replace(/\*\*\/|\*\*|\*|\?/g, (sign) => signs[sign as keyof typeof signs]);
  return isAbsolute(path) ? glob : `(?:.*/)?${glob}`;
}

const signs = { "**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]" } as const;

function isAbsolute(path: string): boolean {
  return /^(?:\/|~|[a-z]:[\\/])/i.test(path);
}

function slashed(path: string): string {
  return path.replaceAll("\\", "/");
}

function normalized(path: string, home: string): string {
  const names: string[] = [];
  for (const name of path.replace(/^~(?=\/|$)/, home).split("/")) {
    if (name === "..") names.pop();
    else if (name !== "." && !(name === "" && names.length > 0)) names.push(name);
  }
  return names.join("/");
}
