// The error catalog: HTTP status, exit code and retryability of every code.
import { fileErrors } from "./file-errors.ts";
import { syncErrors } from "./sync-errors.ts";

interface CatalogueEntry {
  /** HTTP status of the error body. */
  status: number;
  /** Exit code of the command line (sysexits where one fits: 64 usage, 69 unavailable, 70 internal, 78 configuration). */
  exitCode: number;
  /** True when the same request may succeed later without a change by the caller. */
  retryable: boolean;
  /** Sentence shown when the thrower gives none. */
  message: string;
  /** The next step for the reader. */
  hint?: string;
}

const commonErrors = {
  invalid_request: {
    status: 400,
    exitCode: 64,
    retryable: false,
    message: "The request is not valid.",
    hint: "GET /api/openapi.json describes every route.",
  },
  invalid_json: {
    status: 400,
    exitCode: 64,
    retryable: false,
    message: "The body is not valid JSON.",
    hint: "Send one JSON object with Content-Type: application/json.",
  },
  nesting_too_deep: {
    status: 400,
    exitCode: 64,
    retryable: false,
    message: "The body is nested more than 64 levels deep.",
    hint: "Flatten the value, or send the deep part as a string.",
  },
  host_not_allowed: {
    status: 403,
    exitCode: 77,
    retryable: false,
    message: "The Host header does not name this worker.",
    hint: "Use the address that `mem worker status` prints.",
  },
  origin_not_allowed: {
    status: 403,
    exitCode: 77,
    retryable: false,
    message: "Requests from other web origins are refused.",
    hint: "Open the worker's own address, or call it without an Origin header.",
  },
  unauthenticated: {
    status: 401,
    exitCode: 77,
    retryable: false,
    message: "A valid API key is required.",
    hint: "Send `Authorization: Bearer <key>`; create one on the server's host with `mem keys create`.",
  },
  insufficient_scope: {
    status: 403,
    exitCode: 77,
    retryable: false,
    message: "The API key lacks the scope for this request.",
    hint: "Use a key with the scope. List keys and scopes: `mem keys list`.",
  },
  quota_exceeded: {
    status: 402,
    exitCode: 75,
    retryable: false,
    message: "The team's quota for this month is used up.",
    hint: "It resets on the first of the next month (UTC).",
  },
  rate_limited: {
    status: 429,
    exitCode: 75,
    retryable: true,
    message: "Too many requests.",
    hint: "Retry after the seconds in Retry-After.",
  },
  remote_not_allowed: {
    status: 403,
    exitCode: 77,
    retryable: false,
    message: "The worker answers this machine only.",
    hint: "Run the command on the machine where the worker runs.",
  },
  not_found: {
    status: 404,
    exitCode: 66,
    retryable: false,
    message: "Nothing is there.",
    hint: "Find it with `mem search`.",
  },
  method_not_allowed: {
    status: 405,
    exitCode: 64,
    retryable: false,
    message: "The route does not support this method.",
    hint: "The Allow header lists the allowed methods.",
  },
  conflict: {
    status: 409,
    exitCode: 65,
    retryable: false,
    message: "The request conflicts with the stored state.",
    hint: "Read the stored state, then send the request again.",
  },
  payload_too_large: {
    status: 413,
    exitCode: 65,
    retryable: false,
    message: "The body is larger than 2 MB.",
    hint: "Shorten the tool response, head and tail are enough.",
  },
  unsupported_media_type: {
    status: 415,
    exitCode: 64,
    retryable: false,
    message: "The body must be JSON.",
    hint: "Send Content-Type: application/json, without Content-Encoding.",
  },
  too_many_headers: {
    status: 431,
    exitCode: 64,
    retryable: false,
    message: "The request has more than 1,000 headers.",
    hint: "Send fewer headers.",
  },
  internal: {
    status: 500,
    exitCode: 70,
    retryable: true,
    message: "Internal error.",
    hint: "See `mem worker logs`, then `mem doctor`.",
  },
  storage_busy: {
    status: 503,
    exitCode: 75,
    retryable: true,
    message: "The database is locked by another process.",
    hint: "Retry in a few seconds; `mem doctor` names the process that holds the lock.",
  },
  storage_full: {
    status: 507,
    exitCode: 74,
    retryable: true,
    message: "The disk that holds the database is full.",
    hint: "Free some space; nothing that was acknowledged is lost.",
  },
  storage_failed: {
    status: 503,
    exitCode: 74,
    retryable: true,
    message: "The database cannot be read or written.",
    hint: "Run `mem doctor`.",
  },
  shutting_down: {
    status: 503,
    exitCode: 75,
    retryable: true,
    message: "The worker is stopping.",
    hint: "Retry after `mem worker start`.",
  },
  stream_full: {
    status: 503,
    exitCode: 75,
    retryable: true,
    message: "Too many live streams are open.",
    hint: "Close some viewers and try again.",
  },
  worker_unreachable: {
    status: 503,
    exitCode: 69,
    retryable: true,
    message: "The worker is not running.",
    hint: "Start it with `mem worker start`.",
  },
  worker_not_ready: {
    status: 503,
    exitCode: 69,
    retryable: true,
    message: "The worker was started but did not answer in time.",
    hint: "See `mem worker logs`.",
  },
  database_newer: {
    status: 503,
    exitCode: 78,
    retryable: false,
    message: "The database was written by a newer version of mem.",
    hint: "Update mem, or point MEM_DATA_DIR at another directory.",
  },
  database_corrupt: {
    status: 503,
    exitCode: 74,
    retryable: true,
    message: "The database file is damaged.",
    hint: "It is kept beside the new one; `sqlite3 <file> .recover` may read more of it.",
  },
  data_dir_unusable: {
    status: 503,
    exitCode: 78,
    retryable: false,
    message: "The data directory cannot be used.",
    hint: "Set MEM_DATA_DIR to a directory that you own.",
  },
  port_unusable: {
    status: 503,
    exitCode: 69,
    retryable: true,
    message: "No port could be bound.",
    hint: "Set MEM_WORKER_PORT to a free port: `mem settings set MEM_WORKER_PORT 38000`.",
  },
  host_unknown: {
    status: 404,
    exitCode: 64,
    retryable: false,
    message: "This host agent is not known.",
    hint: "List the hosts: `mem install --help`.",
  },
  host_settings_unreadable: {
    status: 409,
    exitCode: 65,
    retryable: false,
    message: "A settings file of the host cannot be read.",
    hint: "The file was not changed. Fix it, then run the command again.",
  },
  provider_failed: {
    status: 502,
    exitCode: 69,
    retryable: true,
    message: "The model provider failed.",
    hint: "mem retries it; `mem worker logs` shows the cause.",
  },
  embedder_failed: {
    ...{ status: 502, exitCode: 69, retryable: true, message: "The embedder failed." },
    hint: "mem retries it; `mem doctor` shows the state.",
  },
  not_set_up: {
    ...{ status: 409, exitCode: 78, retryable: false, message: "This is not set up." },
    hint: "`mem doctor` shows what is set up.",
  },
  no_model: {
    status: 409,
    exitCode: 78,
    retryable: false,
    message: "Only the local provider is set up, which would write the same records.",
    hint: "Set up a model: `mem settings set MEM_PROVIDER primary && mem worker restart`, or see why not: `mem doctor`.",
  },
  usage: {
    status: 400,
    exitCode: 64,
    retryable: false,
    message: "The command is not complete.",
    hint: "See `mem --help`.",
  },
  output_failed: {
    status: 500,
    exitCode: 74,
    retryable: true,
    message: "The output cannot be written.",
    hint: "Check the free space of the disk or device.",
  },
  cancelled: { status: 499, exitCode: 130, retryable: true, message: "Cancelled." },
} as const satisfies Record<string, CatalogueEntry>;
// Marked as pure: the hook's bundle throws no error, and leaves the catalog out. Node reads it at every tool use.
const catalogue = /* @__PURE__ */ Object.assign({}, commonErrors, fileErrors, syncErrors);

/** A code of the catalog, the value of `error.code` on the wire. */
export type ErrorCode = keyof typeof catalogue;

/** The error body of every route: `{ error: { code, message, hint?, details? } }`. */
export interface ErrorBody {
  error: { code: ErrorCode; message: string; hint?: string; details?: unknown };
}

interface MemErrorOptions {
  message?: string;
  hint?: string;
  /** What a program may want to read: which field, which version. Never a secret. */
  details?: unknown;
  cause?: unknown;
}

/** The only error the product throws on purpose; everything foreign is wrapped where it comes in. */
export class MemError extends Error {
  // The command line and the parts that it loads later are separate bundles: each has this class.
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: a subclass asks for itself
    if (super[Symbol.hasInstance](value)) return true;
    // biome-ignore lint/complexity/noThisInStatic: a subclass asks for itself
    return this === MemError && value instanceof Error && value.name === "MemError";
  }

  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly details: unknown;

  constructor(code: ErrorCode, options: MemErrorOptions = {}) {
    super(options.message ?? catalogue[code].message, { cause: options.cause });
    this.name = "MemError";
    this.code = code;
    const entry: CatalogueEntry = catalogue[code];
    this.hint = options.hint ?? entry.hint;
    this.details = options.details;
  }

  get status(): number {
    return catalogue[this.code].status;
  }

  get exitCode(): number {
    return catalogue[this.code].exitCode;
  }

  get retryable(): boolean {
    return catalogue[this.code].retryable;
  }

  toBody(): ErrorBody {
    return {
      error: {
        code: this.code,
        message: this.message,
        ...(this.hint === undefined ? {} : { hint: this.hint }),
        ...(this.details === undefined ? {} : { details: this.details }),
      },
    };
  }
}

/** Every code with what it means, for the documentation and the test that holds it. */
export const errorCatalogue: Readonly<Record<ErrorCode, CatalogueEntry>> = catalogue;

/** Any thrown value as a `MemError`; unknown ones become `internal` and keep their cause. */
export function toMemError(thrown: unknown): MemError {
  return thrown instanceof MemError ? thrown : new MemError("internal", { cause: thrown });
}

type Failure = (what: string, cause: unknown) => void;
let onFailOpen: Failure = () => undefined;

/** Says who hears of what `failOpen` swallowed (the log of a running worker). */
export function reportFailOpenTo(listener: Failure): void {
  onFailOpen = listener;
}

/** Runs what must never break its caller: a failure is reported and gives undefined. The only swallow in the house. */
export async function failOpen<T>(what: string, run: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await run();
  } catch (cause) {
    onFailOpen(what, cause);
    return undefined;
  }
}

/** `failOpen` for synchronous work. */
export function failOpenSync<T>(what: string, run: () => T): T | undefined {
  try {
    return run();
  } catch (cause) {
    onFailOpen(what, cause);
    return undefined;
  }
}
