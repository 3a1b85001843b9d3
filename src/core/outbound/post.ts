// One POST to an external server: deadline, abort, bounded reply, and never to another origin.
import type { Pool } from "undici";
import { codeOf } from "../error-code.ts";
import { MemError } from "../errors.ts";
import { cleanReason } from "./error-text.ts";
import { AddressRefused, guardedConnector, type Resolve } from "./network-guard.ts";

export interface PosterOptions {
  /** The only origin that requests go to: `https://host[:port]`, or `http:` on this machine and private networks. */
  origin: string;
  /** Until the last byte of the reply. */
  timeoutMs: number;
  /** Limit of a good reply; a longer one is an error. */
  maxAnswerBytes?: number;
  resolve?: Resolve;
}

export interface OutsideRequest {
  path: string;
  /** Keys go into headers, never into the path: servers and proxies log paths. */
  headers: Readonly<Record<string, string>>;
  body: object;
  /** Texts to redact in messages, besides detected secrets. */
  secrets: readonly string[];
}

export interface PostAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  text: string;
}

/**
 * Why there is no usable reply.
 * - `late`, `unreachable`: a retry may succeed.
 * - `address`: nothing was sent, or the server redirected: the user must fix the address.
 * - `unsendable`: a header has invalid characters.
 * - `unreadable`: compressed without being asked, or too long.
 */
export type PostFailureKind = "late" | "unreachable" | "address" | "unsendable" | "unreadable";

/** A POST without a usable reply. The message is for people and has no keys. */
export class PostFailure extends Error {
  readonly kind: PostFailureKind;

  constructor(kind: PostFailureKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

export interface Poster {
  /**
   * The reply with any status except a redirect. Throws `PostFailure`, and `cancelled` when `signal` aborts; both close the
   * connection.
   */
  post(request: OutsideRequest, signal: AbortSignal): Promise<PostAnswer>;
  /** Aborts open requests and closes the connections. */
  close(): Promise<void>;
}

const mb = 1024 * 1024;
/** Default limit of a good reply: a model writes less than 1 MB, stream frames add to it. */
const longestAnswerBytes = 4 * mb;
const maxErrorBytes = 64 * 1024;
const connectTimeoutMs = 10_000;

/** Keeps connections for the next call. Ignores proxies of the environment. */
export function createPoster(options: PosterOptions): Poster {
  const { origin, timeoutMs, resolve, maxAnswerBytes = longestAnswerBytes } = options;
  const who = new URL(origin).host;
  let opened: Promise<Pool> | undefined;

  // Loaded at the first call: it is more code than the rest of the worker, and many workers never call a model.
  async function open(): Promise<Pool> {
    const loaded = await import("undici");
    // A split ES bundle exposes a CommonJS package as default only.
    const undici = loaded.default ?? loaded;
    return new undici.Pool(origin, {
      connect: guardedConnector(undici.buildConnector, {
        secure: origin.startsWith("https:"),
        connectTimeoutMs: Math.min(connectTimeoutMs, timeoutMs),
        ...(resolve === undefined ? {} : { resolve }),
      }),
      connections: 16,
      // The deadline below covers them: a slow stream must not keep a call alive.
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

// Leaving the loop early destroys the body and its connection.
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

// The address is wrong: like a refused key, the user must fix it.
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

// Errors of the library may contain bytes of the reply, where a server can echo the key.
function plainCause(error: unknown, secrets: readonly string[]): Error {
  const message = error instanceof Error ? error.message : String(error);
  return new Error(cleanReason(message === "" ? codeOf(error) || "no connection" : message, secrets));
}
