// The codes that Node, SQLite and PostgreSQL give their errors.

/** The `code` of what was thrown, such as `ENOENT`; empty when it has none. */
export function codeOf(thrown: unknown): string {
  return typeof thrown === "object" && thrown !== null && "code" in thrown && typeof thrown.code === "string"
    ? thrown.code
    : "";
}

/** What `look` returns, undefined where nothing is at its path. A path below a file is such a one, too. */
export function unlessMissing<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (cause) {
    if (isMissing(cause)) return undefined;
    throw cause;
  }
}

/** True if nothing is at the path of this error of the file system. */
export function isMissing(thrown: unknown): boolean {
  const code = codeOf(thrown);
  return code === "ENOENT" || code === "ENOTDIR";
}
