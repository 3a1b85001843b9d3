// Opens the server's database: a pool for tenants, one for work across teams, one for limits, one for the owner.
import {
  DatabaseError,
  Pool,
  type PoolClient,
  type PoolConfig,
  type QueryResult,
  type QueryResultRow,
} from "pg";
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
  const pool = (config: PoolConfig, role?: string, bounds: Record<string, number> = {}): Pool => {
    const made = new Pool({ ...common, ...config, options: `${own}${sessionOptions(role, bounds)}` });
    // Without a listener, a lost connection ends the process.
    made.on("error", onConnectionLost);
    made.on("connect", (client) => client.on("error", onConnectionLost));
    return made;
  };
  const app = pool({ max, query_timeout: statementTimeoutMs + 1_000 }, "mem_app");
  const system = pool({ max: 4, query_timeout: statementTimeoutMs + 1_000 }, "mem_system");
  // Kept open: a burst must not wait for a new connection.
  const guards = pool(
    { max: 2, connectionTimeoutMillis: guardDeadMs, query_timeout: guardDeadMs, idleTimeoutMillis: 0 },
    "mem_system",
    { statement_timeout: guardTimeoutMs },
  );
  const owner = pool({ max: 10 });
  return {
    app: connectionsOf(app),
    system: connectionsOf(system),
    guards: { ...connectionsOf(guards), query: (statement) => queryOf(guards, statement) },
    owner,
    listen: (options) => listen({ ...common, options: `${own}${sessionOptions("mem_system", {})}` }, options),
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

// Sent with the connection, so that they are session defaults: `reset role` returns to the same role.
function sessionOptions(role: string | undefined, bounds: Record<string, number>): string {
  const settings =
    role === undefined ? { search_path: "mem" } : { ...bounded, ...bounds, search_path: "mem", role };
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(" ");
}

const bounded = {
  statement_timeout: statementTimeoutMs,
  idle_in_transaction_session_timeout: idleInTransactionMs,
};

function connectionsOf(pool: Pool): Connections {
  return {
    async query<R extends QueryResultRow>(statement: Statement) {
      return asStorage(pool.query<R>(configOf(statement)));
    },
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

// The pool discards a connection when its statement fails. After a timeout of the server the connection is intact, and a
// new one would take most of a guard's time.
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
  const heard = (cause: Error): void => void onLost?.call(owner, cause);
  // Without a listener, a lost connection ends the process.
  made.on("error", heard);
  made.on("connect", (client) => client.on("error", heard));
  return made;
}
