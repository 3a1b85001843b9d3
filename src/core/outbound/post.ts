// One POST to somebody else's server: a deadline, an abort, a bounded answer, and nothing sent anywhere but to its origin.
import type { Pool } from "undici";
import { MemError } from "../errors.ts";
import { cleanReason } from "./error-text.ts";
import { AddressRefused, guardedConnector, type Resolve } from "./network-guard.ts";

export interface PosterOptions {
  /** The only place where anything is sent: `https://host[:port]`, or `http:` on this machine and private networks. */
  origin: string;
  /** Until the last byte of the answer. */
  timeoutMs: number;
  /** Of a good answer; a longer one is none. */
  maxAnswerBytes?: number;
  resolve?: Resolve;
}

export interface OutsideRequest {
  path: string;
  /** Keys stand in headers only, never in the path: servers and proxies write paths to their logs. */
  headers: Readonly<Record<string, string>>;
  body: object;
  /** Texts that must not stand in a message, besides what looks like a secret by itself. */
  secrets: readonly string[];
}

export interface PostAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  text: string;
}

/**
 * Why there is no answer that could be read.
 * - `late`, `unreachable`: it may answer another time.
 * - `address`: nothing was sent, or the server sent us elsewhere: the address has to be mended.
 * - `unsendable`: a header holds what cannot stand in one.
 * - `unreadable`: compressed unasked, or too long.
 */
export type PostFailureKind = "late" | "unreachable" | "address" | "unsendable" | "unreadable";

/** A POST without a usable answer. The message is for people: no keys. */
export class PostFailure extends Error {
  readonly kind: PostFailureKind;

  constructor(kind: PostFailureKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

export interface Poster {
  /**
   * The answer, whatever its status, but no redirect. Throws `PostFailure`, and `cancelled` when `signal` aborts; either
   * way the connection is closed.
   */
  post(request: OutsideRequest, signal: AbortSignal): Promise<PostAnswer>;
  /** Ends what is still under way and closes the connections. */
  close(): Promise<void>;
}

const mb = 1024 * 1024;
/** What is read of a good answer, unless it is told: the longest that a model writes is below 1 MB, a stream's frames make it more. */
const longestAnswerBytes = 4 * mb;
const maxErrorBytes = 64 * 1024;
const connectTimeoutMs = 10_000;

/** Connections are kept for the next call. Proxies of the environment are never looked at. */
export function createPoster(options: PosterOptions): Poster {
  const { origin, timeoutMs, resolve, maxAnswerBytes = longestAnswerBytes } = options;
  const who = new URL(origin).host;
  let opened: Promise<Pool> | undefined;

  // Loaded at the first call: it is more code than all the rest of the worker, and a worker may never ask a model.
  async function open(): Promise<Pool> {
    const loaded = await import("undici");
    // A bundle of ES modules that is split gives a CommonJS package as its default alone.
    const undici = loaded.default ?? loaded;
    return new undici.Pool(origin, {
      connect: guardedConnector(undici.buildConnector, {
        secure: origin.startsWith("https:"),
        connectTimeoutMs: Math.min(connectTimeoutMs, timeoutMs),
        ...(resolve === undefined ? {} : { resolve }),
      }),
      connections: 16,
      // The one deadline below covers them: a server that drips must not keep a call alive.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  async function exchange(request: OutsideRequest, signal: AbortSignal): Promise<PostAnswer> {
    opened ??= open();
    const pool = await opened;
    const answer = await pool.request({
      method: "POST",
      path: request.path,
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "accept-encoding": "identity",
        "user-agent": "agent-mem",
        ...request.headers,
      },
      body: JSON.stringify(request.body),
      signal,
    });
    const { statusCode: status, headers } = answer;
    if (status >= 200 && status < 300) {
      const encoding = String(headers["content-encoding"] ?? "identity");
      const { text, whole } = await readUpTo(answer.body, encoding === "identity" ? maxAnswerBytes : 0);
      if (encoding !== "identity")
        throw new PostFailure("unreadable", `${who} answered compressed, unasked.`);
      if (!whole)
        throw new PostFailure("unreadable", `${who} answered with more than ${maxAnswerBytes / mb} MB.`);
      return { status, headers, text };
    }
    const { text } = await readUpTo(answer.body, maxErrorBytes);
    if (status < 400) throw redirected(who, headers.location);
    return { status, headers, text };
  }

  return {
    post: async (request, signal) => {
      if (signal.aborted) throw new MemError("cancelled");
      const ending = new AbortController();
      const timer = setTimeout(() => ending.abort(), timeoutMs);
      const onAbort = () => ending.abort();
      // Not AbortSignal.any: on Node 20 it keeps every call alive as long as the caller's signal lives.
      signal.addEventListener("abort", onAbort, { once: true });
      try {
        return await exchange(request, ending.signal);
      } catch (error) {
        if (signal.aborted) throw new MemError("cancelled");
        if (error instanceof PostFailure) throw error;
        if (ending.signal.aborted)
          throw new PostFailure("late", `${who} gave no whole answer within ${timeoutMs / 1_000} s.`);
        throw broken(who, error, request.secrets);
      } finally {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
      }
    },
    close: async () => (await opened)?.destroy(),
  };
}

// Leaving the loop early destroys the body and its connection with it: what is not read is never held.
async function readUpTo(
  body: AsyncIterable<Buffer>,
  maxBytes: number,
): Promise<{ text: string; whole: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) break;
    chunks.push(chunk);
  }
  return { text: new TextDecoder().decode(Buffer.concat(chunks)), whole: size <= maxBytes };
}

// The address is wrong, not what was sent: like a refused key it waits until the user mends it.
function redirected(who: string, location: string | string[] | undefined): PostFailure {
  const base = `https://${who}`;
  const to = URL.canParse(String(location), base)
    ? ` to ${new URL(String(location), base).host.slice(0, 100)}`
    : "";
  return new PostFailure(
    "address",
    `${who} redirects${to}. Redirects are not followed: set the address that answers itself.`,
  );
}

function broken(who: string, error: unknown, secrets: readonly string[]): PostFailure {
  if (error instanceof AddressRefused) return new PostFailure("address", error.message);
  if (codeOf(error) === "UND_ERR_INVALID_ARG") {
    return new PostFailure(
      "unsendable",
      "The key or a header that was set holds characters that cannot be sent.",
    );
  }
  const cause = plainCause(error, secrets);
  return new PostFailure("unreachable", `${who} cannot be reached: ${cause.message}`, cause);
}

// The library's errors may carry bytes of the answer, in which a server can echo the key.
function plainCause(error: unknown, secrets: readonly string[]): Error {
  const message = error instanceof Error ? error.message : String(error);
  return new Error(cleanReason(message === "" ? codeOf(error) || "no connection" : message, secrets));
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}
