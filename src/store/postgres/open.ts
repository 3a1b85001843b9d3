// Opens the server's database: a pool for tenants, one for work across teams, one for limits, one for the owner.
import {
  type ClientBase,
  DatabaseError,
  Pool,
  type PoolClient,
  type PoolConfig,
  type QueryResult,
  type QueryResultRow,
} from "pg";
import { codeOf } from "../../core/error-code.ts";
import { MemError } from "../../core/errors.ts";
import { readAddress } from "./address.ts";
import { type Listening, type ListenOptions, listen } from "./listen.ts";
import { toStorageError } from "./storage-error.ts";

/** A statement with its values; with a `name` it is prepared once per connection. */
export interface Statement {
  name?: string;
  text: string;
  values?: readonly unknown[];
  /** For a statement that may take longer than a request. */
  timeoutMs?: number;
}

/** Runs statements; every failure is a `MemError`. */
export interface Queryable {
  query<R extends QueryResultRow>(statement: Statement): Promise<QueryResult<R>>;
}

/** A pool, or a connection of it while it is borrowed. */
export interface Connections extends Queryable {
  /** Lends a connection while `work` runs; discards it after a failure. */
  borrow<T>(work: (connection: Queryable) => Promise<T>): Promise<T>;
}

export interface Database {
  /** As `mem_app`: sees only the tenant of the transaction. */
  app: Connections;
  /** As `mem_system`: lookups of keys, jobs of every team, sweeps. */
  system: Connections;
  /** As `mem_system`, for limits: statements fail after 90 ms, so that no request waits for them. */
  guards: Connections;
  /** As the user of the URL, for migrations and graphile-worker. */
  owner: Pool;
  /** Listens on a channel, on its own connection, as `mem_system`. */
  listen(options: ListenOptions): Listening;
  /** Usage of the pools. */
  pools(): PoolState[];
  close(): Promise<void>;
}

export interface PoolState {
  pool: "app" | "system" | "guards" | "owner";
  /** Connections, used and idle. */
  open: number;
  idle: number;
  /** Statements that wait for a connection. */
  waiting: number;
}

export interface OpenOptions {
  url: string;
  /** Connections of the app pool. */
  max?: number;
  /** Called when a connection is lost. */
  onConnectionLost(cause: Error): void;
}

// Statements take milliseconds; one that takes this long blocks others.
const statementTimeoutMs = 15_000;
const idleInTransactionMs = 10_000;
const connectTimeoutMs = 5_000;
const guardTimeoutMs = 90;
// For dead connections; the request has long passed.
const guardDeadMs = 1_000;
// Firewalls cut idle connections, and a half-open one would wait forever.
const keepAliveAfterMs = 10_000;

/** Opens the pools; nothing connects before the first statement. */
export function openDatabase({ url, max = 10, onConnectionLost }: OpenOptions): Database {
  const { connectionString, options: own } = readAddress(url);
  const common: PoolConfig = {
    connectionString,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
    application_name: "mem",
  };
  const pool = (config: PoolConfig, settings: SessionSettings): Pool => {
    const onConnect = (client: ClientBase) => demandSettings(client, settings);
    const made = new Pool({ ...common, ...config, onConnect, options: `${own}${optionsOf(settings)}` });
    hearFailures(made, onConnectionLost);
    return made;
  };
  const app = pool({ max, query_timeout: statementTimeoutMs + 1_000 }, sessionOf("mem_app"));
  const system = pool({ max: 4, query_timeout: statementTimeoutMs + 1_000 }, sessionOf("mem_system"));
  // Kept open: a burst must not wait for a new connection.
  const guards = pool(
    { max: 2, connectionTimeoutMillis: guardDeadMs, query_timeout: guardDeadMs, idleTimeoutMillis: 0 },
    { ...sessionOf("mem_system"), statement_timeout: inUnits(guardTimeoutMs) },
  );
  const owner = pool({ max: 10 }, ofOwner);
  return {
    app: connectionsOf(app),
    system: connectionsOf(system),
    guards: connectionsOf(guards),
    owner,
    listen: (options) =>
      listen({ ...common, options: `${own}${optionsOf(sessionOf("mem_system"))}` }, options),
    pools: () =>
      Object.entries({ app, system, guards, owner }).map(([pool, made]) => ({
        pool: pool as PoolState["pool"],
        open: made.totalCount,
        idle: made.idleCount,
        waiting: made.waitingCount,
      })),
    async close() {
      await Promise.all([app.end(), system.end(), guards.end(), owner.end()]);
    },
  };
}

/** Settings of a session, as PostgreSQL shows them. */
type SessionSettings = Readonly<Record<string, string>>;

// Statements take milliseconds, and compiling one takes up to a second: a backlog drains at a thirtieth of the speed.
const ofOwner: SessionSettings = { jit: "off", search_path: "mem" };

function sessionOf(role: string): SessionSettings {
  return {
    ...ofOwner,
    statement_timeout: inUnits(statementTimeoutMs),
    idle_in_transaction_session_timeout: inUnits(idleInTransactionMs),
    role,
  };
}

function inUnits(ms: number): string {
  return ms % 1_000 === 0 ? `${ms / 1_000}s` : `${ms}ms`;
}

// Sent with the connection, so that they are session defaults: `reset role` returns to the same role.
function optionsOf(settings: SessionSettings): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(" ");
}

// A pooler may drop them: then every statement would run as the owner, whom no row-level security and no timeout stops.
async function demandSettings(client: ClientBase, settings: SessionSettings): Promise<void> {
  const { rows } = await client.query<{ name: string; value: string }>(
    "select name, current_setting(name) as value from unnest($1::text[]) as name",
    [Object.keys(settings)],
  );
  const wrong = rows.find(({ name, value }) => settings[name] !== value);
  if (wrong === undefined) return;
  throw new MemError("setting_invalid", {
    message: `The database of MEM_DATABASE_URL ignores the options of a connection: ${wrong.name} is "${wrong.value}", not "${settings[wrong.name]}".`,
    hint: "Connect to PostgreSQL itself, not through a pooler: mem has its own pools.",
  });
}

// After a switchover a connection may lead to a standby. Who borrows it may give it back as if it were good.
function hearFailures(pool: Pool, onLost: (cause: Error) => void): void {
  const readOnly = new WeakSet<ClientBase>();
  // Without a listener, a lost connection ends the process.
  pool.on("error", onLost);
  pool.on("connect", (client) => {
    client.on("error", onLost);
    client.connection.on("errorMessage", (cause) => codeOf(cause) === "25006" && readOnly.add(client));
  });
  pool.on("release", (_cause, client) => readOnly.has(client) && void client.end());
}

function connectionsOf(pool: Pool): Connections {
  return {
    query: (statement) => queryOf(pool, statement),
    async borrow(work) {
      const client = await asStorage(pool.connect());
      let failed: Error | undefined;
      try {
        return await work({
          async query<R extends QueryResultRow>(statement: Statement) {
            return asStorage(client.query<R>(configOf(statement)));
          },
        });
      } catch (cause) {
        failed = cause instanceof Error ? cause : new MemError("internal", { cause });
        throw cause;
      } finally {
        // It may have an open transaction or be dead; a new connection costs 2 ms.
        client.release(failed);
      }
    },
  };
}

// The pool would discard a connection whose statement fails. The connection is intact, and a new one would take most of a
// guard's time.
async function queryOf<R extends QueryResultRow>(pool: Pool, statement: Statement): Promise<QueryResult<R>> {
  const client = await asStorage<PoolClient>(pool.connect());
  let failed: Error | undefined;
  try {
    return await client.query<R>(configOf(statement));
  } catch (cause) {
    const isOfStatement = cause instanceof DatabaseError && cause.severity === "ERROR";
    failed = isOfStatement || !(cause instanceof Error) ? undefined : cause;
    throw toStorageError(cause);
  } finally {
    client.release(failed);
  }
}

function configOf({ name, text, values, timeoutMs }: Statement) {
  return {
    text,
    ...(values === undefined ? {} : { values: [...values] }),
    ...(name === undefined ? {} : { name }),
    ...(timeoutMs === undefined ? {} : { query_timeout: timeoutMs }),
  };
}

async function asStorage<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw toStorageError(cause);
  }
}

// Its statements take milliseconds; none is open during a model call. One that hangs on a lock would hold its slot forever.
const queueStatementMs = 30_000;

/** A pool for graphile-worker to the same database as `owner`, with a statement timeout; the caller ends it. */
export function openQueuePool(owner: Pool, maxStatementMs = queueStatementMs): Pool {
  const { options = "", ...same } = owner.options;
  const bounds = `-c statement_timeout=${maxStatementMs} -c idle_in_transaction_session_timeout=${maxStatementMs}`;
  const made = new Pool({
    ...same,
    options: `${options} ${bounds}`,
    // For a server that no longer answers.
    query_timeout: maxStatementMs + 1_000,
  });
  const [onLost] = owner.listeners("error");
  hearFailures(made, (cause) => void onLost?.call(owner, cause));
  return made;
}
