// Guard of requests from other machines: closed, read-only with the TV token, or open.
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isIPv4, isIPv6 } from "node:net";
import { hostname } from "node:os";
import type { Clock } from "../../core/clock.ts";
import { MemError } from "../../core/errors.ts";

/** Access of another machine. */
export type RemoteAccess =
  /** Nothing. */
  | { is: "closed" }
  /** The TV page and its data, with the token of this SHA-256 digest. */
  | { is: "token"; sha256: Buffer }
  /** Everything: the user bound another address and set no token. */
  | { is: "open" };

/** Why a remote request was refused. */
export type RemoteDenial = "closed" | "method" | "path" | "token";

/** Request targets up to the `?` that a token opens: compared byte for byte, before any decoding. */
const displayTargets: ReadonlySet<string> = new Set(["/tv", "/tv.html", "/stream", "/api/observations"]);

type RawRequest = Pick<IncomingMessage, "method" | "url" | "rawHeaders">;

/**
 * Decides about a remote request; undefined lets it pass. With a token, in this order:
 *
 * | what                              | must be                                                    | else |
 * |-----------------------------------|------------------------------------------------------------|------|
 * | method                            | GET                                                        | 403  |
 * | request target up to the first `?` | byte for byte one of `displayTargets`                     | 404  |
 * | token                             | in exactly one carrier, once, and equal                    | 401  |
 *
 * Carriers: the query parameter `token`, `Authorization: Bearer`, `X-Api-Key`. The right token in two of them is refused
 * too: which one counts would be a guess.
 */
export function denialOf(
  { method, url = "", rawHeaders }: RawRequest,
  access: RemoteAccess,
): RemoteDenial | undefined {
  if (access.is === "open") return undefined;
  if (access.is === "closed") return "closed";
  if (method !== "GET") return "method";
  const end = url.indexOf("?");
  if (!displayTargets.has(end === -1 ? url : url.slice(0, end))) return "path";
  const tokens = tokensOf(end === -1 ? "" : url.slice(end + 1), rawHeaders);
  const [token] = tokens;
  return tokens.length === 1 && token !== undefined && isEqual(token, access.sha256) ? undefined : "token";
}

/** The error for a denial. Its texts are constant and repeat nothing of the request. */
export function denialError(denial: RemoteDenial): MemError {
  switch (denial) {
    case "closed":
      return new MemError("remote_not_allowed");
    case "method":
      return new MemError("remote_not_allowed", {
        message: "Other machines may only read.",
        hint: "Send GET, or run the command on the machine where the worker runs.",
      });
    case "path":
      return new MemError("not_found", {
        message: "There is no such route.",
        hint: "Other machines may open the address that `mem tv url` prints.",
      });
    case "token":
      return new MemError("unauthenticated", {
        message: "Missing or invalid TV token.",
        hint: "Open the address that `mem tv url` prints on the machine where the worker runs.",
      });
    default:
      return denial satisfies never;
  }
}

// Hashed first, so that length and content take the same time.
function isEqual(token: string, sha256: Buffer): boolean {
  return timingSafeEqual(tokenDigest(token), sha256);
}

/** The SHA-256 digest of a token, as `RemoteAccess` has it. */
export function tokenDigest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

// Every carrier that was sent, an empty or malformed one included. Node's parsed headers join or drop repeated ones.
function tokensOf(query: string, rawHeaders: readonly string[]): string[] {
  const tokens = query === "" ? [] : new URLSearchParams(query).getAll("token");
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name, value = ""] = [rawHeaders[at]?.toLowerCase(), rawHeaders[at + 1]];
    if (name === "x-api-key") tokens.push(value);
    if (name === "authorization") tokens.push(/^Bearer ([^ ]+)$/i.exec(value)?.[1] ?? "");
  }
  return tokens;
}

/**
 * True if `host`, a Host header, names this machine at `port`: an IP address, `localhost`, the machine's or the
 * configured name. A web page can make its own name point here, but not an IP address.
 */
export function namesThisMachine(
  host: string,
  { host: configured, port }: { host: string; port: number },
): boolean {
  const [, name, , givenPort = "80"] = /^(\[[^\]]+\]|[^:[\]]+)(:(\d{1,5}))?$/.exec(host.toLowerCase()) ?? [];
  if (name === undefined || givenPort !== String(port)) return false;
  if (name.startsWith("[")) return isIPv6(name.slice(1, -1));
  const own = hostname().toLowerCase();
  return isIPv4(name) || ["localhost", own, `${own}.local`, configured.toLowerCase()].includes(name);
}

const maxLines = 20;
const windowMs = 60_000;

/** Writes one line of a refused remote request. */
export type DenialLog = (reason: string, url: string | undefined) => void;

/** Logs denials by reason and path, at most 20 lines a minute: a flood must not rotate the log away. */
export function createDenialLog(
  warn: (fields: { reason: string; path: string; unlogged?: number }, message: string) => void,
  { monotonicMs }: Pick<Clock, "monotonicMs">,
): DenialLog {
  let windowEnd = Number.NEGATIVE_INFINITY;
  let lines = 0;
  let unlogged = 0;
  return (reason, url = "") => {
    const now = monotonicMs();
    if (now >= windowEnd) {
      windowEnd = now + windowMs;
      lines = 0;
    }
    if (lines >= maxLines) {
      unlogged += 1;
      return;
    }
    lines += 1;
    warn(
      { reason, path: loggedPath(url), ...(unlogged === 0 ? {} : { unlogged }) },
      "a request from another machine was refused",
    );
    unlogged = 0;
  };
}

/**
 * The path of a request target for the log. It ends before the first segment that no route has, since a malformed target
 * may have a token there: `/tv/<token>`, `/tv;token=` or `/tv%3Ftoken=`.
 */
export function loggedPath(url: string): string {
  return /^(?:\/(?:[a-z0-9][a-z0-9-]{0,35}(?:\.[a-z]{2,4})?(?![\w-]))?){0,8}/.exec(url)?.[0] ?? "";
}
