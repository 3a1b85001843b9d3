// A real PostgreSQL with pgvector for the tests: compiled to WebAssembly, in this process, with one connection for all. The
// one that npm brings for the other tests has no pgvector.
import { EventEmitter } from "node:events";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import type { Pool } from "pg";
import { afterAll } from "vitest";
import { migrateServer } from "../../src/store/postgres/migrate.ts";
import type { Connections, Database, Queryable, Statement } from "../../src/store/postgres/open.ts";
import { toStorageError } from "../../src/store/postgres/storage-error.ts";

// Optimizing the WebAssembly takes more time than a test can gain by it.
setFlagsFromString("--liftoff-only");

/** A migrated database that could have vectors, or could not; closed after the last test. */
export async function openVectorDatabase({ withVector = true } = {}): Promise<Database & { lite: PGlite }> {
  const made = template();
  const lite = await PGlite.create({
    extensions: withVector ? { vector } : {},
    ...(made === undefined ? {} : { loadDataDir: made }),
    // As the driver has them: numbers of 64 bits are texts.
    parsers: { 20: (value) => value },
    serializers: { 114: asJson, 3802: asJson },
  });
  afterAll(() => lite.close());
  const turn = createTurn();
  const database = {
    lite,
    app: connections(lite, turn, "mem_app"),
    system: connections(lite, turn, "mem_system"),
    guards: connections(lite, turn, "mem_system"),
    owner: ownerPool(lite, turn),
    // One connection cannot wait for what it notifies itself.
    listen: () => ({ tried: Promise.resolve(), close: async () => undefined }),
    pools: () => [],
    close: async () => undefined,
  };
  if (made === undefined) {
    await migrateServer(database.owner, "test");
    await keepTemplate(lite);
  }
  return database;
}

// The first database of a run is copied, which takes a fifth of the time.
const templateFile = () => join(tmpdir(), "vector-database.tar");

function template(): Blob | undefined {
  return existsSync(templateFile()) ? new Blob([readFileSync(templateFile())]) : undefined;
}

async function keepTemplate(lite: PGlite): Promise<void> {
  const dump = await lite.dumpDataDir("none");
  const unfinished = `${templateFile()}.${process.pid}`;
  writeFileSync(unfinished, Buffer.from(await dump.arrayBuffer()));
  renameSync(unfinished, templateFile());
}

function asJson(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

type Turn = <T>(work: () => Promise<T>) => Promise<T>;

/** One at a time: there is one connection. */
function createTurn(): Turn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
}

function connections(lite: PGlite, turn: Turn, role: string): Connections {
  const connection: Queryable = {
    async query({ text, values }: Statement) {
      return (await ask(lite, text, values).catch((cause: unknown) => {
        throw toStorageError(cause);
      })) as never;
    },
  };
  return {
    query: (statement) => turn(() => as(lite, role, () => connection.query(statement))),
    borrow: (work) => turn(() => as(lite, role, () => work(connection))),
  };
}

async function as<T>(lite: PGlite, role: string, work: () => Promise<T>): Promise<T> {
  await lite.exec(`set role ${role}; set search_path = mem`);
  try {
    return await work();
  } finally {
    await lite.exec("rollback; reset role; set search_path = mem");
  }
}

// Several statements come without values, and answer with the last one's rows.
async function ask(lite: PGlite, text: string, values: readonly unknown[] = []) {
  const [result] =
    values.length === 0 ? (await lite.exec(text)).slice(-1) : [await lite.query(text, [...values])];
  const rows = result?.rows ?? [];
  return { rows, rowCount: rows.length > 0 ? rows.length : (result?.affectedRows ?? 0) };
}

/** As much of a pool as migrations ask for. A lent connection is the only one, until it is given back. */
function ownerPool(lite: PGlite, turn: Turn): Pool {
  const query = (asked: string | { text: string; values?: unknown[] }, values?: unknown[]) =>
    typeof asked === "string" ? ask(lite, asked, values) : ask(lite, asked.text, asked.values);
  // The transaction of the migration lock would be that of the migrations.
  const ofLock = /^(begin; set local lock_timeout.*|rollback)$/;
  const lent = async (asked: string, values?: unknown[]) => !ofLock.test(asked) && query(asked, values);
  const connect = async () => Object.assign(new EventEmitter(), { query: lent, release: () => undefined });
  const pool = new EventEmitter().on("error", () => undefined).on("connect", () => undefined);
  return Object.assign(pool, {
    connect,
    query: (asked: string, values?: unknown[]) => turn(() => query(asked, values)),
  }) as unknown as Pool;
}
