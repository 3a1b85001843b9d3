// Connections of graphile-worker: as the owner, with a statement timeout. The owner's pool has none, for migrations.
import { Pool } from "pg";

// Its statements take milliseconds; none is open during a model call. One that hangs on a lock would hold its slot forever.
const statementMs = 30_000;

/** A pool to the same database as `owner`; the caller ends it. */
export function openQueuePool(owner: Pool, maxStatementMs = statementMs): Pool {
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
