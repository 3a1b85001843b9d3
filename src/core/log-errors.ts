// Log lines for errors: one line per error, and a count instead of repeated lines in an outage.
import type { LogFn, Logger } from "pino";
import { redactSecrets } from "../privacy/secrets.ts";
import { codeOf } from "./error-code.ts";
import { MemError } from "./errors.ts";

/** An error in the log. */
export interface LoggedError {
  message: string;
  code?: string;
  /** Causes, outermost first. */
  causes?: string[];
  /** For unexpected errors only. */
  stack?: string;
}

const maxChars = 1_000;
const maxCauses = 5;

/**
 * Only message and code of an error: drivers attach connections, statements and row values to theirs. Unexpected errors
 * also get a stack.
 */
export function loggedError(thrown: unknown): LoggedError {
  const causes = causesOf(thrown);
  const deepest = causes.at(-1) ?? thrown;
  const code = codeOf(thrown);
  return {
    message: messageOf(thrown),
    ...(code === "" ? {} : { code }),
    ...(causes.length === 0 ? {} : { causes: causes.map(inOneLine) }),
    ...(isFault(thrown, deepest) && deepest instanceof Error && deepest.stack !== undefined
      ? { stack: redactSecrets(deepest.stack.slice(0, 4 * maxChars)) }
      : {}),
  };
}

function causesOf(thrown: unknown): unknown[] {
  const causes: unknown[] = [];
  let cause = thrown instanceof Error ? thrown.cause : undefined;
  while (cause !== undefined && cause !== null && causes.length < maxCauses) {
    causes.push(cause);
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return causes;
}

function isFault(thrown: unknown, deepest: unknown): boolean {
  if (thrown instanceof MemError && thrown.code !== "internal") return false;
  return deepest instanceof MemError ? deepest.code === "internal" : true;
}

function inOneLine(cause: unknown): string {
  const code = codeOf(cause);
  return code === "" ? messageOf(cause) : `${messageOf(cause)} (${code})`;
}

function messageOf(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : typeof thrown === "string" ? thrown : typeof thrown;
  return redactSecrets(text.slice(0, maxChars)).replaceAll(/\s*\n\s*/g, " ");
}

const windowMs = 10_000;
const maxKinds = 1_000;

interface Kind {
  more: number;
  /** Writes the newest suppressed line with the count. */
  write(more: number): void;
  timer: NodeJS.Timeout;
}

export interface RepeatedErrors {
  /** pino's hook: writes or counts the line. */
  logMethod(this: Logger, args: Parameters<LogFn>, write: LogFn): void;
  /** Writes the open counts. */
  flush(): void;
}

/**
 * Writes the first line of a kind immediately, and the newest line of the next ten seconds with the count `repeated`. A kind
 * is the message and the error's code. Lines without an error always pass.
 */
export function createRepeatedErrors(): RepeatedErrors {
  const kinds = new Map<string, Kind>();

  function tell(name: string, kind: Kind): void {
    const { more } = kind;
    if (more === 0) {
      kinds.delete(name);
      return;
    }
    kind.more = 0;
    kind.write(more);
    kind.timer = setTimeout(() => tell(name, kind), windowMs).unref();
  }

  return {
    logMethod(args, write) {
      const name = kindOf(args);
      const known = name === undefined ? undefined : kinds.get(name);
      if (name === undefined || (known === undefined && kinds.size >= maxKinds))
        return write.apply(this, args);
      const [fields, ...rest] = args as [object, ...[string]];
      const again = (repeated: number): void => write.apply(this, [{ ...fields, repeated }, ...rest]);
      if (known !== undefined) {
        known.more += 1;
        known.write = again;
        return;
      }
      const kind: Kind = {
        more: 0,
        write: again,
        timer: setTimeout(() => tell(name, kind), windowMs).unref(),
      };
      kinds.set(name, kind);
      write.apply(this, args);
    },
    flush() {
      for (const { more, write, timer } of kinds.values()) {
        clearTimeout(timer);
        if (more > 0) write(more);
      }
      kinds.clear();
    },
  };
}

// Unexpected errors are distinguished by their messages too.
function kindOf([fields, what]: readonly unknown[]): string | undefined {
  if (typeof fields !== "object" || fields === null || !("err" in fields)) return undefined;
  const { err } = fields;
  const isForeseen = err instanceof MemError && err.code !== "internal";
  return `${String(what)}\0${codeOf(err)}\0${isForeseen ? "" : (causesOf(err).map(messageOf).at(-1) ?? messageOf(err))}`;
}
