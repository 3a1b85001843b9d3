// Requests to the worker over one connection, with deadlines. Over node:http: undici alone takes longer to load than the
// rest of a command, 140 ms of CPU time against 17.
import { Agent, type IncomingMessage, type RequestOptions, request as requestOverHttp } from "node:http";
import type { Socket } from "node:net";
import { codeOf } from "../core/error-code.ts";

interface ConnectionOptions {
  connectMs: number;
  /** How long the worker may take to begin its answer, and between two parts of it. */
  answerMs: number;
  open(): Socket;
  /** The name in the request. */
  host: string;
}

/** `silentMs` replaces `answerMs` once the answer has begun. */
type Request = Pick<RequestOptions, "method" | "path" | "headers" | "signal"> & { silentMs?: number };

export type Connection = ReturnType<typeof createConnection>;

/** Requests run one after the other; one that finds the connection ended opens it again. */
export function createConnection({ connectMs, answerMs, open, host }: ConnectionOptions) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  Object.assign(agent, { createConnection: () => inTime(open(), connectMs) });
  const running = new Set<Promise<unknown>>();

  function request(
    { silentMs = answerMs, headers, ...asked }: Request,
    json?: string,
  ): Promise<IncomingMessage> {
    const type = json === undefined ? {} : jsonHeaders(json);
    // Without a name for TLS, node:http would test the host for an IPv6 address: 3 ms for its regular expression.
    const options = { ...asked, agent, servername: "", headers: { host, ...type, ...headers } };
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      const sent = requestOverHttp(options, (answer) => {
        answer.setTimeout(silentMs, () => answer.destroy(timeoutError(answerTimeoutCode)));
        untilSettled(new Promise<void>((ended) => answer.once("close", ended)));
        resolve(answer);
      });
      sent.on("error", reject);
      sent.setTimeout(answerMs, () => sent.destroy(timeoutError(answerTimeoutCode)));
      sent.end(json);
    });
    untilSettled(answered);
    return answered;
  }

  function untilSettled(work: Promise<unknown>): void {
    running.add(work);
    const done = () => running.delete(work);
    work.then(done, done);
  }

  return {
    /** The answer, whose body is still to be read. */
    request,
    /** Ends requests that run, too. */
    destroy: () => agent.destroy(),
    async close() {
      while (running.size > 0) await Promise.allSettled(running);
      agent.destroy();
    },
  };
}

function jsonHeaders(json: string) {
  return { "content-type": "application/json", "content-length": Buffer.byteLength(json) };
}

/** `code` of the error when no connection was made in time, so that nothing was sent. */
export const connectTimeoutCode = "MEM_CONNECT_TIMEOUT";
const answerTimeoutCode = "MEM_ANSWER_TIMEOUT";
const timeoutCodes: ReadonlySet<unknown> = new Set([connectTimeoutCode, answerTimeoutCode]);

function timeoutError(code: string): Error {
  return Object.assign(new Error("The worker does not answer in time."), { code });
}

export function isTimeout(cause: unknown): boolean {
  return timeoutCodes.has(codeOf(cause));
}

function inTime(socket: Socket, connectMs: number): Socket {
  const late = setTimeout(() => socket.destroy(timeoutError(connectTimeoutCode)), connectMs);
  const done = () => clearTimeout(late);
  return socket.once("connect", done).once("close", done);
}

const maxAnswerBytes = 64 * 1024 * 1024;

/** The body of an answer. Throws when it breaks off, or has more than 64 MB. */
export async function textOf(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of answer) {
    bytes += part.length;
    if (bytes > maxAnswerBytes) throw new Error(`The answer has more than ${maxAnswerBytes} bytes.`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}
