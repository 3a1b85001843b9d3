// Opens the server's database: one pool for tenants' work, one for what must look across teams, both without ownership.
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

/** One statement with its values: `name` has it prepared once per connection. */
export interface Statement {
  name?: string;
  text: string;
  values?: readonly unknown[];
  /** Where it may take longer than a statement of a request. */
  timeoutMs?: number;
}

/** Runs statements; every failure is a `MemError`. */
export interface Queryable {
  query<R extends QueryResultRow>(statement: Statement): Promise<QueryResult<R>>;
}

/** A pool, or a connection of it while it is borrowed. */
export interface Connections extends Queryable {
  /** Lends one connection for as long as `work` runs; one that failed in between is thrown away. */
  borrow<T>(work: (connection: Queryable) => Promise<T>): Promise<T>;
}

export interface Database {
  /** As `mem_app`: sees the tenant that the transaction names, nothing without one. */
  app: Connections;
  /** As `mem_system`: the tenant of a key, jobs of every team, sweeps. */
  system: Connections;
  /** As `mem_system`, for limits alone: a statement that takes longer than 90 ms fails, so that no request waits for it. */
  guards: Connections;
  /** As the user of the URL, for migrations and the queue's own library. */
  owner: Pool;
  /** Hears what is notified on a channel, over a connection of its own, as `mem_system`. */
  listen(options: ListenOptions): Listening;
  /** How full the pools are. */
  pools(): PoolState[];
  close(): Promise<void>;
}

export interface PoolState {
  pool: "app" | "system" | "guards" | "owner";
  /** Connections, used and idle. */
  open: number;
  idle: number;
  /** Statements that wait for one. */
  waiting: number;
}

export interface OpenOptions {
  url: string;
  /** Connections of the tenants' pool. */
  max?: number;
  /** Hears of a connection that died while nobody used it. */
  onConnectionLost(cause: Error): void;
}

// A statement of ours takes milliseconds; one that takes this long holds up everybody.
const statementTimeoutMs = 15_000;
const idleInTransactionMs = 10_000;
const connectTimeoutMs = 5_000;
const guardTimeoutMs = 90;
// Who waits for a guard has left long before: this is for connections that are dead.
const guardDeadMs = 1_000;
// One that is not kept alive is cut by a firewall, and a half-open one would wait for ever.
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
    // Without a listener a connection that dies, idle or borrowed, ends the process.
    made.on("error", onConnectionLost);
    made.on("connect", (client) => client.on("error", onConnectionLost));
    return made;
  };
  const app = pool({ max, query_timeout: statementTimeoutMs + 1_000 }, "mem_app");
  const system = pool({ max: 4, query_timeout: statementTimeoutMs + 1_000 }, "mem_system");
  // Kept open: a burst after a quiet while must not wait for a new connection.
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

// Given with the connection, so that they are the session's defaults: `reset role` leads back to the same role.
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
        // What failed may stand in an open transaction or on a dead link: a new connection costs 2 ms.
        client.release(failed);
      }
    },
  };
}

// The driver's pool throws a connection away when its statement fails. One that took too long is refused by a connection
// that is well, and another one costs most of what a guard may take.
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
