// Error handler: every error becomes the one error body, with a code of the catalog and no internals.
import type { Socket } from "node:net";
import type { FastifyReply } from "fastify";
import { codeOf } from "../../core/error-code.ts";
import { type ErrorCode, MemError } from "../../core/errors.ts";
import { loggedPath } from "./remote-guard.ts";
import { securityHeaders } from "./request-guard.ts";
import type { App } from "./zod.ts";

/** Messages and hints that a service uses instead of the catalog's. */
export type ErrorWords = Readonly<Partial<Record<ErrorCode, { message?: string; hint?: string }>>>;

declare module "fastify" {
  interface FastifyInstance {
    errorWords: ErrorWords;
  }
}

interface Speech {
  words: ErrorWords;
  /** Where all routes are described. */
  openapi: string;
  /** The methods of a path that is there; left out where every unknown request is a 404. */
  methodsOf?(path: string): readonly string[];
}

const workersSpeech: Speech = { words: {}, openapi: "/api/openapi.json" };

/** Sets the handlers for thrown errors and unknown routes; a service may replace the worker's messages. */
export function installErrors(app: App, { words, openapi, methodsOf }: Speech = workersSpeech): void {
  app.decorate("errorWords", words);
  app.setErrorHandler((thrown, _request, reply) => sendError(reply, thrown));
  app.setNotFoundHandler((request, reply) => {
    const methods = methodsOf?.(pathOf(request.url)) ?? [];
    if (methods.length === 0) return sendError(reply, noSuchRoute(openapi));
    return sendError(reply.header("allow", methods.join(", ")), new MemError("method_not_allowed"));
  });
}

/** Answers with `thrown` as the error body; faults of the service are logged with their cause. */
export function sendError(reply: FastifyReply, thrown: unknown): void {
  const error = inWordsOf(reply.server.errorWords, toHttpError(thrown));
  if (error.status >= 500) {
    reply.log.error(
      {
        err: thrown,
        method: reply.request.method,
        path: loggedPath(reply.request.url),
        request_id: reply.request.id,
      },
      "request failed",
    );
  }
  if (error.status === 503 && error.retryable) reply.header("retry-after", "1");
  reply.code(error.status).type("application/json; charset=utf-8").send(error.toBody());
}

/** The error with the service's messages; a message that the thrower set stays. */
export function inWordsOf(words: ErrorWords, error: MemError): MemError {
  const own = words[error.code];
  if (own === undefined) return error;
  const common = new MemError(error.code);
  const message = error.message === common.message ? (own.message ?? error.message) : error.message;
  const hint = error.hint === common.hint ? (own.hint ?? error.hint) : error.hint;
  if (message === error.message && hint === error.hint) return error;
  return new MemError(error.code, {
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(error.details === undefined ? {} : { details: error.details }),
    cause: error.cause,
  });
}

/** Any thrown value as an error of the catalog: fastify's errors, SQLite's by their code, else `internal`. */
export function toHttpError(thrown: unknown): MemError {
  if (thrown instanceof MemError) return thrown;
  const { code, statusCode } = signsOf(thrown);
  if (code.startsWith("SQLITE_")) return storageError(code, thrown);
  if (code === "ENOSPC") return new MemError("storage_full", { cause: thrown });
  const known = fastifyErrors[code];
  if (known !== undefined) return known(thrown);
  if (statusCode >= 400 && statusCode < 500) return new MemError("invalid_request", { cause: thrown });
  return new MemError("internal", { cause: thrown });
}

function pathOf(url: string): string {
  const end = url.indexOf("?");
  return end === -1 ? url : url.slice(0, end);
}

/** Answers a request that the HTTP parser refused, and ends the connection. */
export function answerParserError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, ...words } = parserErrors[error.code ?? ""] ?? notHttp;
  const body = JSON.stringify(new MemError("invalid_request", words).toBody());
  const guards = Object.entries(securityHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(
    `HTTP/1.1 ${status}\r\n${guards.join("")}Content-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  socket.destroySoon();
}

function noSuchRoute(openapi: string): MemError {
  return new MemError("not_found", {
    message: "There is no such route.",
    hint: `GET ${openapi} lists every route.`,
  });
}

function signsOf(thrown: unknown): { code: string; statusCode: number } {
  if (typeof thrown !== "object" || thrown === null) return { code: "", statusCode: 0 };
  const code = codeOf(thrown);
  const statusCode = "statusCode" in thrown && typeof thrown.statusCode === "number" ? thrown.statusCode : 0;
  return { code, statusCode };
}

// What a read throws comes here as SQLite made it, since plugins know no store: the same table as in
// store/sqlite/storage-error.ts, and a test compares them.
function storageError(code: string, cause: unknown): MemError {
  if (code === "SQLITE_FULL" || code === "SQLITE_IOERR_WRITE") return new MemError("storage_full", { cause });
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return new MemError("storage_busy", { cause });
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return new MemError("database_corrupt", { cause });
  if (/^SQLITE_(IOERR|CANTOPEN|READONLY|PERM)/.test(code)) return new MemError("storage_failed", { cause });
  return new MemError("internal", { cause });
}

const fastifyErrors: Readonly<Record<string, (cause: unknown) => MemError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: (cause) => new MemError("payload_too_large", { cause }),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: (cause) => new MemError("unsupported_media_type", { cause }),
  FST_ERR_BAD_URL: (cause) =>
    new MemError("invalid_request", { message: "The path is not valid percent-encoding.", cause }),
};

interface ParserError {
  /** The status line's. */
  status: string;
  message: string;
  hint: string;
}

const parserErrors: Readonly<Record<string, ParserError>> = {
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: "408 Request Timeout",
    message: "The request did not arrive in time.",
    hint: "Send headers and body in one go.",
  },
  HPE_HEADER_OVERFLOW: {
    status: "431 Request Header Fields Too Large",
    message: "The headers are larger than 16 KB.",
    hint: "Send fewer or shorter headers.",
  },
};

const notHttp: ParserError = {
  status: "400 Bad Request",
  message: "The request is not valid HTTP.",
  hint: "Send HTTP/1.1 without TLS: the address begins with http://.",
};
