// Server-Sent Events: open streams, writes with bounded queues, and slow clients dropped.
import type { OutgoingHttpHeaders, ServerResponse } from "node:http";

/** Bounds on the streams; each has a default. */
export interface SseOptions {
  /** Concurrent streams; more are refused. */
  maxClients?: number;
  /** Bytes waiting for one client before it is dropped. */
  maxQueuedBytes?: number;
  /** A comment is sent this often, so that dead sockets are found. */
  heartbeatMs?: number;
}

/** One paused reader held 300 MB after 3,000 events of 100 kB, so the queue of a client is bounded. */
export function createSseClients(options: SseOptions = {}) {
  const { maxClients = 1000, maxQueuedBytes = 1024 * 1024, heartbeatMs = 15_000 } = options;
  const clients = new Map<ServerResponse, string | undefined>();
  const suspects = new Set<ServerResponse>();
  let heartbeat: NodeJS.Timeout | undefined;

  function write(client: ServerResponse, frame: Buffer): void {
    client.write(frame);
    if (client.writableLength <= maxQueuedBytes || suspects.has(client)) return;
    // Writes leave at the end of this event loop turn; data still queued after it means a slow client.
    suspects.add(client);
    setImmediate(() => {
      suspects.delete(client);
      if (client.writableLength <= maxQueuedBytes) return;
      forget(client);
      client.destroy();
    });
  }

  function forget(client: ServerResponse): void {
    clients.delete(client);
    if (clients.size > 0) return;
    clearInterval(heartbeat);
    heartbeat = undefined;
  }

  function beat(): void {
    for (const client of clients.keys()) write(client, comment);
  }

  return {
    size: () => clients.size,
    isFull: () => clients.size >= maxClients,
    /** Begins a stream on `response`, about `topic` or everything; the client is forgotten when its connection closes. */
    open(response: ServerResponse, headers: OutgoingHttpHeaders, topic?: string) {
      response.writeHead(200, { ...headers, ...streamHeaders });
      response.flushHeaders();
      // Without a listener, a write to a connection that has just gone would end the process.
      response.on("error", () => forget(response));
      response.on("close", () => forget(response));
      clients.set(response, topic);
      heartbeat ??= setInterval(beat, heartbeatMs).unref();
    },
    /** One message to one client. */
    send: (response: ServerResponse, message: unknown) => write(response, frameOf(message)),
    /** One message to the clients whose topic, undefined for everything, `wants` it; it is written out once. */
    broadcast(message: unknown, wants: (topic: string | undefined, client: ServerResponse) => boolean) {
      if (clients.size === 0) return;
      const frame = frameOf(message);
      for (const [client, topic] of clients) if (wants(topic, client)) write(client, frame);
    },
    /** Ends every stream. */
    closeAll() {
      for (const client of clients.keys()) {
        // Unread data would keep the connection, and with it the worker, open.
        if (client.writableLength > 0) client.destroy();
        else client.end();
      }
      clients.clear();
      clearInterval(heartbeat);
      heartbeat = undefined;
    },
  };
}

// `close`: the connection ends with the stream, so that an ended one does not idle on at shutdown.
const streamHeaders: OutgoingHttpHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  connection: "close",
};

const comment = Buffer.from(":\n\n");

function frameOf(message: unknown): Buffer {
  return Buffer.from(`data: ${JSON.stringify(message)}\n\n`);
}
