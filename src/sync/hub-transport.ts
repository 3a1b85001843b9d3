// One exchange with the hub over HTTP: deadline, bounded answer, no redirects, no compression.
import type { Pool } from "undici";
import type { Timers } from "../core/clock.ts";
import { isThisMachine } from "../core/outbound/endpoint.ts";
import { AddressRefused, guardedConnector } from "../core/outbound/network-guard.ts";
import { type Headers, retryAfterMs } from "../core/outbound/retry-after.ts";
import { HubFailure } from "./failure.ts";

export interface HubRequest {
  method: "GET" | "POST";
  /** From the root of the hub, with its query. */
  path: string;
  headers: Readonly<Record<string, string>>;
  /** JSON text of a POST. */
  body?: string;
  /** Limit of an answer with status 200. */
  maxAnswerBytes: number;
  /** Shorter than the deadline of the transport, for an answer that a person waits for. */
  timeoutMs?: number;
}

export interface HubAnswer {
  status: number;
  /** What the hub asks to wait; undefined if it does not say. */
  retryAfterMs: number | undefined;
  /** Text of a JSON answer; undefined for any other. */
  json: string | undefined;
}

export interface HubTransport {
  /** Throws `HubFailure`: `unreachable`, `too_large` never, `bad_answer` for an answer that is too long or not finished. */
  exchange(request: HubRequest, signal: AbortSignal): Promise<HubAnswer>;
  /** Aborts what is open. */
  close(): Promise<void>;
}

/** Who is at the other end, in sentences: the hub, or the team's server. */
export type Peer = "hub" | "server";

interface TransportOptions {
  address: HubAddress;
  whose?: Peer;
  timers: Timers;
  timeoutMs?: number;
}

/** Origin and path prefix of a hub. */
export interface HubAddress {
  origin: string;
  prefix: string;
}

/**
 * The address in the setting, or a sentence about it. Plain HTTP shows the token and, in a plain account, the records: only on
 * this machine, or where `allowHttp` says so, and then on private networks only.
 */
export function parseHubAddress(
  text: string,
  { allowHttp, whose = "hub" }: { allowHttp: boolean; whose?: Peer },
): HubAddress | string {
  const trimmed = text.trim();
  if (!/^https?:\/\//i.test(trimmed) || !URL.canParse(trimmed))
    return `The ${whose}'s address is not an https address.`;
  const { origin, protocol, pathname, username, password, search, hash } = new URL(trimmed);
  if (username !== "" || password !== "") {
    return `The ${whose}'s address has a user or password: set the token in its own setting.`;
  }
  if (search !== "" || hash !== "") return `The ${whose}'s address has a query: leave it out.`;
  if (protocol === "http:" && !allowHttp && !isThisMachine(origin)) {
    return `The ${whose}'s address is plain http, which shows the token to the network: use https, or \`--allow-http\` in a network that you trust.`;
  }
  return { origin, prefix: pathname.replace(/(?:\/v1(?:\/sync)?)?\/*$/, "") };
}

const requestTimeoutMs = 30_000;
const connectTimeoutMs = 10_000;
const maxErrorBytes = 64 * 1024;

/** Connects when it is first used. Ignores proxies of the environment. */
export function createHubTransport(options: TransportOptions): HubTransport {
  const { address, timers, whose = "hub" } = options;
  let opened: Promise<Pool> | undefined;
  return {
    async exchange(request, signal) {
      const ending = new AbortController();
      let isLate = false;
      const timeoutMs = request.timeoutMs ?? options.timeoutMs ?? requestTimeoutMs;
      const cancel = timers.after(timeoutMs, () => {
        isLate = true;
        ending.abort();
      });
      const onAbort = () => ending.abort();
      signal.addEventListener("abort", onAbort, { once: true });
      if (signal.aborted) ending.abort();
      try {
        opened ??= connect(address);
        return await send(await opened, address.prefix, request, { signal: ending.signal, whose });
      } catch (cause) {
        if (cause instanceof HubFailure) throw cause;
        throw isLate
          ? new HubFailure(
              { kind: "unreachable" },
              `The ${whose} gave no answer within ${timeoutMs / 1_000} s.`,
            )
          : unreachable(cause, whose);
      } finally {
        cancel();
        signal.removeEventListener("abort", onAbort);
      }
    },
    close: async () => (await opened)?.destroy(),
  };
}

// Loaded at the first request: most workers have no hub.
async function connect({ origin }: HubAddress): Promise<Pool> {
  const loaded = await import("undici");
  // A split ES bundle exposes a CommonJS package as default only.
  const undici = loaded.default ?? loaded;
  return new undici.Pool(origin, {
    connect: guardedConnector(undici.buildConnector, {
      secure: origin.startsWith("https:"),
      connectTimeoutMs,
    }),
    connections: 4,
    // The deadline covers them.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

async function send(
  pool: Pool,
  prefix: string,
  { method, path, headers, body, maxAnswerBytes }: HubRequest,
  { signal, whose }: { signal: AbortSignal; whose: Peer },
): Promise<HubAnswer> {
  const answer = await pool.request({
    method,
    path: prefix + path,
    headers: {
      accept: "application/json",
      "accept-encoding": "identity",
      "user-agent": "agent-mem",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    body: body ?? null,
    signal,
  });
  const { statusCode: status, headers: given } = answer;
  const text = await readUpTo(answer.body, status === 200 ? maxAnswerBytes : maxErrorBytes);
  if (text === undefined && status === 200) {
    throw new HubFailure({ kind: "bad_answer" }, `The ${whose}'s answer is longer than the protocol allows.`);
  }
  return { status, retryAfterMs: waitOf(given), json: isJson(given) ? text : undefined };
}

// Leaving the loop early destroys the body and its connection.
async function readUpTo(body: AsyncIterable<Buffer>, maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

function isJson(headers: Headers): boolean {
  const encoding = headers["content-encoding"] ?? "identity";
  return encoding === "identity" && /^application\/json\b/i.test(String(headers["content-type"] ?? ""));
}

// A date would need this machine's clock to agree with the hub's.
function waitOf(headers: Headers): number | undefined {
  const text = String(headers["retry-after"] ?? "");
  return /^\d{1,9}$/.test(text) ? retryAfterMs({ "retry-after": text }, "", 0) : undefined;
}

// Messages of the library may have bytes of the answer, where a hub can echo the token: only its codes are used.
function unreachable(cause: unknown, whose: Peer): HubFailure {
  if (cause instanceof AddressRefused) {
    return new HubFailure(
      { kind: "bad_address" },
      `The ${whose}'s address is on a network where it is not used: link-local, or public without https.`,
    );
  }
  const code = (cause as { code?: unknown } | null)?.code;
  if (code === "UND_ERR_INVALID_ARG") {
    return new HubFailure(
      { kind: "unauthorized" },
      `The ${whose === "hub" ? "token or the user id" : "key"} has characters that cannot be sent.`,
    );
  }
  const named = typeof code === "string" && /^[A-Z][A-Z0-9_]{2,40}$/.test(code) ? ` (${code})` : "";
  return new HubFailure({ kind: "unreachable" }, `The ${whose} cannot be reached${named}.`);
}
