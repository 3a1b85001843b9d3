// SQLite as the product loads it, for benches that read a database themselves.
import { bundle } from "./bundle.mjs";

/** The file that exports `Database`. */
export const sqliteFile = await bundle("sqlite", 'export { Database } from "./src/store/sqlite/library.ts";');

export const { Database } = await import(sqliteFile);
