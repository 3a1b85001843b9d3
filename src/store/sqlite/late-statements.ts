// A database whose statements are prepared when they are first used. The store knows 160 of them: prepared at once they
// took 7 ms of the worker's start, and most of them are for questions that a worker is seldom asked.
import type { Sqlite } from "./open.ts";

/** The same connection; what is prepared over it is prepared at its first use. */
export function withLateStatements(db: Sqlite): Sqlite {
  return Object.create(db, { prepare: { value: (sql: string) => lateStatement(() => db.prepare(sql)) } });
}

function lateStatement(prepare: () => object): object {
  let prepared: object | undefined;
  return new Proxy(
    {},
    {
      get(_nothing, name) {
        prepared ??= prepare();
        const part: unknown = Reflect.get(prepared, name);
        return typeof part === "function" ? part.bind(prepared) : part;
      },
    },
  );
}
