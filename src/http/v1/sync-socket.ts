// WebSockets of the live channel. A handshake passes the app's hooks like every request, before the protocol changes.
import { type IncomingMessage, type Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type WebSocket, WebSocketServer } from "ws";
import { MemError } from "../../core/errors.ts";
import type { HubCaller } from "../../core/records/hub.ts";
import type { LiveChannel, LiveEnd } from "../../hub/live-channel.ts";
import type { App } from "../plugins/zod.ts";

export const syncSocketPath = "/v1/sync/ws";

export interface SyncSocket {
  /** Completes the handshake. Throws `invalid_request` for a plain request, and what `join` throws. */
  accept(request: FastifyRequest, reply: FastifyReply, caller: HubCaller): void;
}

/** A handshake that waits for the route's decision. */
interface Handshake {
  socket: Socket;
  head: Buffer;
  response: ServerResponse;
}

const pingEveryMs = 30_000;
const closingMs = 1_000;
// Closes a reader whose buffer is full.
const maxBufferedBytes = 65_536;

/** Close codes of RFC 6455 and, from 4000, of the protocol. */
const closeCodes: Readonly<Record<LiveEnd, number>> = { revoked: 4401, stopping: 1001, deaf: 1012 };

export function installSyncSocket(app: App, channel: LiveChannel): SyncSocket {
  const handshakes = new WeakMap<IncomingMessage, Handshake>();
  const sockets = new WebSocketServer({ noServer: true, clientTracking: false, maxPayload: 1_024 });
  // Node 24.9 and newer serve everything else as a request themselves.
  Object.assign(app.server, { shouldUpgradeCallback: isHandshake });
  app.server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    if (!isHandshake(request)) return serveAsRequest(app.server, request, socket, head);
    socket.on("error", () => socket.destroy());
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once("finish", () => socket.destroySoon());
    handshakes.set(request, { socket, head, response });
    app.routing(request, response);
  });
  // Before the server waits for its connections.
  app.addHook("preClose", async () => channel.close());
  return {
    accept(request, reply, caller) {
      const handshake = handshakes.get(request.raw);
      if (handshake === undefined) {
        throw new MemError("invalid_request", {
          message: "This route is a WebSocket.",
          hint: "Connect with a WebSocket client, or read GET /v1/sync/status.",
        });
      }
      const { socket, head, response } = handshake;
      let opened: WebSocket | undefined;
      const leave = channel.join(caller, {
        send: (text) => opened !== undefined && sendTo(opened, text),
        end: (why) => (opened === undefined ? socket.destroy() : close(opened, closeCodes[why])),
      });
      socket.once("close", leave);
      reply.hijack();
      response.detachSocket(socket);
      sockets.handleUpgrade(request.raw, socket, head, (made) => {
        opened = made;
        keepAlive(made);
      });
      // The handshake was not valid, or the peer is gone already.
      if (opened === undefined) leave();
    },
  };
}

// With a body, Node 26 hands out a stream that is no socket.
function isHandshake({ method, url = "", headers }: IncomingMessage): boolean {
  return (
    method === "GET" &&
    url.split("?", 1)[0] === syncSocketPath &&
    headers.upgrade?.toLowerCase() === "websocket" &&
    (headers["content-length"] ?? "0") === "0" &&
    headers["transfer-encoding"] === undefined
  );
}

/**
 * Serves a request that offers another protocol, as Java's client does with HTTP/2, as HTTP/1.1: RFC 9110 lets a server ignore
 * the offer. The parser of an older Node has left the connection, so the request is read again without the offer.
 */
function serveAsRequest(
  server: Server,
  { method, url, httpVersion, rawHeaders }: IncomingMessage,
  socket: Socket,
  head: Buffer,
): void {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() !== "upgrade") lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), head]));
  server.emit("connection", socket);
}

// A peer that does not answer a ping is gone, and one that talks is no device.
function keepAlive(socket: WebSocket): void {
  let isAlive = true;
  const timer = setInterval(() => {
    if (!isAlive) return socket.terminate();
    isAlive = false;
    socket.ping();
  }, pingEveryMs);
  socket.on("pong", () => {
    isAlive = true;
  });
  socket.on("message", () => close(socket, 1008));
  socket.on("error", () => socket.terminate());
  socket.once("close", () => clearInterval(timer));
}

function sendTo(socket: WebSocket, text: string): void {
  if (socket.bufferedAmount > maxBufferedBytes) socket.terminate();
  else if (socket.readyState === socket.OPEN) socket.send(text);
}

function close(socket: WebSocket, code: number): void {
  socket.close(code);
  setTimeout(() => socket.terminate(), closingMs).unref();
}
