// Migrates a database to the current schema in numbered steps, one transaction each; a new one gets the result of them all.

import type { Database as Sqlite } from "better-sqlite3";
import { MemError } from "../../core/errors.ts";
import { openFile } from "./library.ts";
import init from "./migrations/0001-init.sql";
import generation from "./migrations/0002-generation.sql";
import searchTerms from "./migrations/0003-search-terms.sql";
import vectors from "./migrations/0004-vectors.sql";
import contextLedger from "./migrations/0005-context-ledger.sql";
import truthAndProjects from "./migrations/0006-truth-and-projects.sql";
import searchJudged from "./migrations/0007-search-judged.sql";
import comparison from "./migrations/0010-comparison.sql";
import templateWords from "./migrations/0011-template-words.sql";
import statements from "./migrations/0012-statements.sql";
import citedEvents from "./migrations/0013-cited-events.sql";
import telling from "./migrations/0014-telling.sql";
import unreadEvents from "./migrations/0015-unread-events.sql";
import injections from "./migrations/0016-injections.sql";
import trash from "./migrations/0017-trash.sql";
import sync from "./migrations/0018-sync.sql";
import imports from "./migrations/0019-imports.sql";
import team from "./migrations/0020-team.sql";
import forget from "./migrations/0021-forget.sql";
import spans from "./migrations/0023-spans.sql";
import gone from "./migrations/0024-gone.sql";
import branches from "./migrations/0025-branches.sql";
import represented from "./migrations/0026-represented.sql";
import boundaries from "./migrations/0027-boundaries.sql";
import promptCopies from "./migrations/0028-prompt-copies.sql";
import sessionRows from "./migrations/0029-session-rows.sql";
import kinds from "./migrations/0030-kinds.sql";
import ownWords from "./migrations/0031-own-words.sql";
import drafted from "./migrations/0032-drafted.sql";
import compared from "./migrations/0033-compared.sql";
import newest from "./schema.sql";

/** A numbered step of a schema. */
export interface Migration {
  version: number;
  name: string;
  sql: string;
}

// After a new one, `npm test -- test/store/sqlite/migrate.test.ts --update=true` writes schema.sql.
const migrations: readonly Migration[] = [
  { version: 1, name: "init", sql: init },
  { version: 2, name: "generation", sql: generation },
  { version: 3, name: "search-terms", sql: searchTerms },
  { version: 4, name: "vectors", sql: vectors },
  { version: 5, name: "context-ledger", sql: contextLedger },
  { version: 6, name: "truth-and-projects", sql: truthAndProjects },
  { version: 7, name: "search-judged", sql: searchJudged },
  { version: 10, name: "comparison", sql: comparison },
  { version: 11, name: "template-words", sql: templateWords },
  { version: 12, name: "statements", sql: statements },
  { version: 13, name: "cited-events", sql: citedEvents },
  { version: 14, name: "telling", sql: telling },
  { version: 15, name: "unread-events", sql: unreadEvents },
  { version: 16, name: "injections", sql: injections },
  { version: 17, name: "trash", sql: trash },
  { version: 18, name: "sync", sql: sync },
  { version: 19, name: "imports", sql: imports },
  { version: 20, name: "team", sql: team },
  { version: 21, name: "forget", sql: forget },
  { version: 23, name: "spans", sql: spans },
  { version: 24, name: "gone", sql: gone },
  { version: 25, name: "branches", sql: branches },
  { version: 26, name: "represented", sql: represented },
  { version: 27, name: "boundaries", sql: boundaries },
  { version: 28, name: "prompt-copies", sql: promptCopies },
  { version: 29, name: "session-rows", sql: sessionRows },
  { version: 30, name: "kinds", sql: kinds },
  { version: 31, name: "own-words", sql: ownWords },
  { version: 32, name: "drafted", sql: drafted },
  { version: 33, name: "compared", sql: compared },
];

/** The schema version this code writes. */
export const schemaVersion = newestOf(migrations);

function newestOf(steps: readonly Migration[]): number {
  return Math.max(...steps.map(({ version }) => version));
}

/**
 * Applies the missing steps, the worker's by default. Throws `database_newer`, without a change, when the file is newer than
 * this code.
 */
export function migrate(
  db: Sqlite,
  options: { product: string; now: number },
  steps: readonly Migration[] = migrations,
): void {
  db.exec(`
    create table if not exists schema_versions (
      version integer primary key,
      name text not null,
      product text not null,
      applied_at_epoch integer not null
    ) strict`);
  const latest = db
    .prepare<[], { version: number; product: string }>(
      "select version, product from schema_versions order by version desc limit 1",
    )
    .get();
  const current = latest?.version ?? 0;
  if (latest !== undefined && current > newestOf(steps)) {
    throw new MemError("database_newer", {
      message: `The database has schema version ${current} (written by mem ${latest.product}); mem ${options.product} knows version ${newestOf(steps)} at most.`,
    });
  }
  const record = db.prepare(
    "insert into schema_versions (version, name, product, applied_at_epoch) values (?, ?, ?, ?)",
  );
  const run = (missing: readonly Migration[], sql: string) =>
    db
      .transaction(() => {
        for (const { version, name } of missing) record.run(version, name, options.product, options.now);
        db.exec(sql);
      })
      .immediate();
  // The steps cost five times the processor time, and a sync of the disk each.
  if (current === 0 && steps === migrations) run(steps, newest);
  else for (const migration of steps) if (migration.version > current) run([migration], migration.sql);
}

/** Damage of the schema: tables that differ from the migrations, or a wrong version. */
export function schemaFaults(db: Sqlite): string[] {
  const version = db.prepare("select max(version) from schema_versions").pluck().get();
  const right = openFile(":memory:");
  try {
    migrate(right, { product: "", now: 0 });
    const entries = "select name, coalesce(sql, '') as sql from sqlite_schema";
    const found = new Map(
      db
        .prepare<[], { name: string; sql: string }>(entries)
        .all()
        .map(({ name, sql }) => [name, sql]),
    );
    const wrong = right
      .prepare<[], { name: string; sql: string }>(entries)
      .all()
      .filter(({ name, sql }) => found.get(name) !== sql);
    if (version === schemaVersion) return wrong.map(({ name }) => `the schema of ${name} is damaged`);
    return wrong.length === 0
      ? [`schema_versions names version ${version}, the tables are of ${schemaVersion}`]
      : [];
  } finally {
    right.close();
  }
}
