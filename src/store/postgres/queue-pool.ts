// The connections of the queue's own library: as the owner, with a bound on each statement, which the owner's pool has not,
// since a migration may take longer.
import { Pool } from "pg";

// The library's statements take milliseconds, and none of them spans a job: a call of an hour waits outside the database.
// Without a bound one that hangs, on a lock say, would hold its slot until the server ends.
const statementMs = 30_000;

/** A pool to the same database as `owner`; who opens it ends it. Its own connections only are bounded. */
export function openQueuePool(owner: Pool, maxStatementMs = statementMs): Pool {
  const { options = "", ...same } = owner.options;
  const bounds = `-c statement_timeout=${maxStatementMs} -c idle_in_transaction_session_timeout=${maxStatementMs}`;
  const made = new Pool({
    ...same,
    options: `${options} ${bounds}`,
    // Where the server itself does not answer any more.
    query_timeout: maxStatementMs + 1_000,
  });
  const [onLost] = owner.listeners("error");
  const heard = (cause: Error): void => void onLost?.call(owner, cause);
  // Without a listener a connection that dies, idle or borrowed, ends the process.
  made.on("error", heard);
  made.on("connect", (client) => client.on("error", heard));
  return made;
}
