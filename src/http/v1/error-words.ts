// Messages and hints of the hosted server; the catalog's are for users of a worker.
import type { ErrorWords } from "../plugins/errors.ts";

/** For readers with a key, but without the server's log or a shell on it. */
export const hostedErrorWords: ErrorWords = {
  invalid_request: { hint: "GET /v1/openapi.json describes what every route takes." },
  host_not_allowed: {
    message: "The Host header does not name this server.",
    hint: "Without keys it answers on its own machine only, by the address that it printed at its start.",
  },
  origin_not_allowed: { hint: "Call it without an Origin header." },
  remote_not_allowed: {
    message: "Without keys the server answers its own machine only.",
    hint: "Who runs it can set MEM_AUTH_MODE=api-key and make a key for you.",
  },
  insufficient_scope: { hint: "Use a key with the scope; who runs the server can make one." },
  not_found: { hint: "POST /v1/search finds what the key reaches." },
  payload_too_large: {
    message: "The body is larger than the route takes: 5 MB, or 8.1 MB of sync operations.",
  },
  internal: {
    message: "Something inside the server failed.",
    hint: "Tell who runs it, with the x-request-id of this answer.",
  },
  storage_busy: {
    message: "The database is busy with other requests.",
    hint: "Send the request again in a few seconds.",
  },
  storage_full: {
    message: "The disk of the server's database is full.",
    hint: "Tell who runs it; nothing that was acknowledged is lost.",
  },
  storage_failed: { hint: "Send the request again in a few seconds." },
};
