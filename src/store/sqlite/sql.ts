// Prepared statements of a connection as functions of their parameters.
import { wellFormedText } from "../../text/storable.ts";
import type { Sqlite } from "./open.ts";

/** `insert into` a table with a parameter for each column. */
export function insertInto(table: string, columns: readonly string[]): string {
  return `insert into ${table} (${columns.join(", ")})
    values (${columns.map((name) => `@${name}`).join(", ")})`;
}

/** Texts as a parameter for `json_each`, as a column holds them: JSON escapes a lone surrogate, which UTF-8 cannot hold. */
export function listOf(texts: readonly string[]): string {
  return JSON.stringify(texts.map(wellFormedText));
}

/** File systems and hosts spell `é` as one character or as two: a stored path has either. */
export function inBothForms(paths: readonly string[]): string[] {
  return [...new Set(paths.flatMap((path) => [path, path.normalize("NFC"), path.normalize("NFD")]))];
}

export function createSql(db: Sqlite) {
  const prepare = <R>(sql: string) => db.prepare<unknown[], R>(sql);
  const pluck = <R>(sql: string) => {
    let statement: ReturnType<typeof prepare<R>> | undefined;
    // `pluck` prepares, and a worker that starts has no time for that.
    return () => (statement ??= prepare<R>(sql).pluck());
  };
  return {
    /** The first row. */
    get<P extends unknown[], R>(sql: string): (...parameters: P) => R | undefined {
      const statement = prepare<R>(sql);
      return (...parameters) => statement.get(...parameters);
    },
    all<P extends unknown[], R>(sql: string): (...parameters: P) => R[] {
      const statement = prepare<R>(sql);
      return (...parameters) => statement.all(...parameters);
    },
    /** The first column of the first row. */
    value<P extends unknown[], R>(sql: string): (...parameters: P) => R | undefined {
      const statement = pluck<R>(sql);
      return (...parameters) => statement().get(...parameters);
    },
    /** The first column of every row. */
    values<P extends unknown[], R>(sql: string): (...parameters: P) => R[] {
      const statement = pluck<R>(sql);
      return (...parameters) => statement().all(...parameters);
    },
    run<P extends unknown[]>(sql: string): (...parameters: P) => void {
      const statement = prepare(sql);
      return (...parameters) => void statement.run(...parameters);
    },
    /** Runs it and returns how many rows changed. */
    changes<P extends unknown[]>(sql: string): (...parameters: P) => number {
      const statement = prepare(sql);
      return (...parameters) => statement.run(...parameters).changes;
    },
  };
}
