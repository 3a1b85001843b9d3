// Maps errors of PostgreSQL and its driver to MemError.
import { codeOf } from "../../core/error-code.ts";
import { MemError } from "../../core/errors.ts";

/**
 * Lost connections and restarts can be retried (`storage_busy`, `storage_failed`), a full disk is `storage_full`, and values
 * that no column can hold are the sender's error (`invalid_request`).
 * Codes: https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
export function toStorageError(cause: unknown): MemError {
  if (cause instanceof MemError) return cause;
  const code = codeOf(cause);
  if (/^(22|54)/.test(code)) {
    return new MemError("invalid_request", {
      message: "A value cannot be stored: it is too large, too deep or not valid text.",
      cause,
    });
  }
  if (/^(40|55)/.test(code) || code === "57014") {
    return new MemError("storage_busy", {
      message: "The database was busy with another request.",
      hint: "Send the request again.",
      cause,
    });
  }
  if (code === "53100") return new MemError("storage_full", { cause });
  // 25006: what was the primary is a standby now.
  if (/^(08|53|57P|25006)/.test(code) || isLostConnection(cause)) {
    return new MemError("storage_failed", {
      message: "The database did not answer.",
      hint: "Send the request again; an event with an Idempotency-Key is stored once.",
      cause,
    });
  }
  return new MemError("internal", { cause });
}

function isLostConnection(cause: unknown): boolean {
  if (/^E(CONN|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOENT|ACCES|AI_AGAIN|NOTFOUND)/.test(codeOf(cause)))
    return true;
  return (
    cause instanceof Error && /terminat|timeout|timed out|not queryable|Connection ended/i.test(cause.message)
  );
}
