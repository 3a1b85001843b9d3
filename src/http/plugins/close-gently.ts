// Ends a server: idle connections at once, busy ones with their reply, what is left after the wait by force.
import type { Server } from "node:http";
import type { Socket } from "node:net";

/**
 * Resolves when the server and every socket of `others` (connections that another server accepted) are closed; after
 * `closeMs` they are cut. Streams have to be ended before: an open one would keep the server from closing for ever.
 */
export async function closeGently(
  server: Server,
  closeMs: number,
  others: ReadonlySet<Socket> = new Set(),
): Promise<void> {
  const cut = setTimeout(() => {
    server.closeAllConnections();
    for (const socket of others) socket.destroy();
  }, closeMs);
  // A connection whose last reply went out after `close` would stay until its keep-alive ends.
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const ended = [...others].map(
    (socket) => new Promise<void>((resolve) => void socket.once("close", resolve)),
  );
  const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
  await Promise.all([closed, ...ended]);
  clearTimeout(cut);
  clearInterval(idle);
}
