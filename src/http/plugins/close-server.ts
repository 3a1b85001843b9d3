// Closes a server: idle connections immediately, busy ones after their reply, the rest after a timeout.
import type { Server } from "node:http";
import type { Socket } from "node:net";

/**
 * Resolves when the server and the sockets of `others` (accepted by another server) are closed; destroys them after
 * `closeMs`. End streams first: an open one keeps the server from closing.
 */
export async function closeServer(
  server: Server,
  closeMs: number,
  others: ReadonlySet<Socket> = new Set(),
): Promise<void> {
  const cut = setTimeout(() => {
    server.closeAllConnections();
    for (const socket of others) socket.destroy();
  }, closeMs);
  // A connection whose last reply is sent after `close` would otherwise stay until its keep-alive ends.
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const ended = [...others].map(
    (socket) => new Promise<void>((resolve) => void socket.once("close", resolve)),
  );
  const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
  await Promise.all([closed, ...ended]);
  clearTimeout(cut);
  clearInterval(idle);
}
