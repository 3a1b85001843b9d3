// Prepares statements at their first use. Preparing all 160 took 7 ms of the worker's start, and most are rarely used.
import type { Sqlite } from "./open.ts";
import { isDamage } from "./storage-error.ts";

/**
 * The same connection with late statements. `onDamage` is called when a statement reads a damaged page, even when its caller
 * handles the error.
 */
export function withLateStatements(db: Sqlite, onDamage: (cause: unknown) => void = () => undefined): Sqlite {
  const prepare = (sql: string) => lateStatement(() => db.prepare(sql), onDamage);
  return Object.create(db, { prepare: { value: prepare } });
}

function lateStatement(prepare: () => object, onDamage: (cause: unknown) => void): object {
  let prepared: object | undefined;
  // An import of 14,000 lines makes 200,000 calls.
  const functions = new Map<string | symbol, unknown>();

  function watched<T>(work: () => T): T {
    try {
      return work();
    } catch (cause) {
      if (isDamage(cause)) onDamage(cause);
      throw cause;
    }
  }

  const late: object = new Proxy(
    {},
    {
      get(_nothing, name) {
        const known = functions.get(name);
        if (known !== undefined) return known;
        prepared ??= watched(prepare);
        const statement = prepared;
        const part: unknown = Reflect.get(statement, name);
        if (typeof part !== "function") return part;
        const call = (...values: unknown[]): unknown => {
          if (name === "iterate") return watchedRows(part.apply(statement, values), watched);
          const result: unknown = watched(() => part.apply(statement, values));
          // `pluck` and `raw` return the statement.
          return result === statement ? late : result;
        };
        functions.set(name, call);
        return call;
      },
    },
  );
  return late;
}

function* watchedRows(rows: Iterator<unknown>, watched: <T>(work: () => T) => T): Generator<unknown> {
  try {
    for (;;) {
      const next = watched(() => rows.next());
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    rows.return?.();
  }
}
