// The codes that Node, SQLite and PostgreSQL give their errors.

/** The `code` of what was thrown, such as `ENOENT`; empty when it has none. */
export function codeOf(thrown: unknown): string {
  return typeof thrown === "object" && thrown !== null && "code" in thrown && typeof thrown.code === "string"
    ? thrown.code
    : "";
}
