// The settings of `mem server`: from the environment alone, as containers have it. What is wrong stops the start.
import { MemError } from "../core/errors.ts";
import { acceptedBy, type Definition, type ValueOf } from "./definition.ts";
import type { Environment } from "./environment.ts";
import type { LoadedSettings } from "./load.ts";
import { typedValue } from "./parse.ts";
import { type SettingKey, settingsTable } from "./table.ts";

/** Every setting of the server; an unset or empty variable is the default. Empty limits mean none. */
export const serverTable = {
  MEM_DATABASE_URL: {
    kind: "secret",
    default: "",
    effect: "restart",
    meaning: "PostgreSQL 14 or later, as postgresql://user:password@host/db; empty starts a private one.",
  },
  MEM_DATABASE_CONNECTIONS: {
    kind: "integer",
    min: 1,
    max: 200,
    default: "10",
    effect: "restart",
    meaning: "Connections of one process for requests.",
  },
  MEM_AUTH_MODE: {
    kind: "enum",
    values: ["local", "api-key"],
    default: "local",
    effect: "restart",
    meaning: "api-key asks for a key; local serves one team on this machine without one.",
  },
  MEM_AUTH_FAILURES_PER_MIN: {
    kind: "integer",
    min: 0,
    max: 1_000_000,
    default: "60",
    effect: "restart",
    meaning: "Wrong keys of one address in a minute before it is refused; 0 is no limit.",
  },
  MEM_TRUSTED_PROXIES: {
    kind: "list",
    default: "",
    effect: "restart",
    meaning:
      "Proxies whose X-Forwarded-For tells a client's address: addresses, ranges, loopback, private; empty trusts none.",
  },
  MEM_PUBLIC_URL: {
    kind: "url",
    default: "",
    effect: "restart",
    meaning: "Address that clients reach the server by; empty takes it from the request.",
  },
  MEM_RATE_LIMIT_PER_MIN: {
    kind: "integer",
    min: 0,
    max: 1_000_000,
    default: "0",
    effect: "restart",
    meaning: "Requests of one key in a minute; 0 is no limit.",
  },
  MEM_MONTHLY_REQUEST_CAP: {
    kind: "integer",
    min: 0,
    max: 1_000_000_000,
    default: "0",
    effect: "restart",
    meaning: "Requests of one team in a month (UTC); 0 is no cap.",
  },
  MEM_MONTHLY_TOKEN_CAP: {
    kind: "integer",
    min: 0,
    max: 1_000_000_000_000,
    default: "0",
    effect: "restart",
    meaning: "Provider tokens of one team in a month (UTC), for writes; 0 is no cap.",
  },
  MEM_USAGE_METERING: {
    kind: "boolean",
    default: "false",
    effect: "restart",
    meaning: "Record one usage event for each authenticated request.",
  },
  MEM_METRICS_PORT: {
    kind: "integer",
    min: 0,
    max: 65_535,
    default: "0",
    effect: "restart",
    meaning: "Port of /metrics for Prometheus, on loopback unless MEM_METRICS_HOST says else; 0 is none.",
  },
  MEM_METRICS_HOST: {
    kind: "string",
    pattern: /^[A-Za-z0-9.:_-]{1,253}$/,
    accepts: "a host name or address",
    default: "127.0.0.1",
    effect: "restart",
    meaning: "Address that /metrics binds to.",
  },
  MEM_GENERATION_CONCURRENCY: {
    kind: "integer",
    min: 1,
    max: 64,
    default: "4",
    effect: "restart",
    meaning: "Provider calls of one process at once.",
  },
  MEM_GENERATION_LEASE_SECONDS: {
    kind: "integer",
    min: 2,
    max: 3600,
    default: "45",
    effect: "restart",
    meaning: "How long the jobs of a process that ended stay its own; kept alive while it works.",
  },
  MEM_EVENT_RETENTION_DAYS: {
    kind: "integer",
    min: 1,
    max: 3650,
    default: "30",
    effect: "restart",
    meaning:
      "Days that raw events, prompts among them, are kept where a team says nothing else; records stay.",
  },
  // The worker's own, so that who knows one knows both.
  MEM_VECTOR_INDEX: settingsTable.MEM_VECTOR_INDEX,
  MEM_EMBEDDER: settingsTable.MEM_EMBEDDER,
  MEM_EMBEDDING_MODEL: settingsTable.MEM_EMBEDDING_MODEL,
  MEM_EMBEDDING_BASE_URL: settingsTable.MEM_EMBEDDING_BASE_URL,
  MEM_EMBEDDING_API_KEY: settingsTable.MEM_EMBEDDING_API_KEY,
} as const satisfies Record<string, Definition>;

export type ServerKey = keyof typeof serverTable;

export interface ServerSettings {
  get<K extends ServerKey>(key: K): ValueOf<(typeof serverTable)[K]>;
}

// Who writes the records of all teams, and with what: a name that is misread must not be another writer.
const writerKeys = [
  "MEM_PROVIDER",
  "MEM_PRIMARY_AUTH_METHOD",
  "MEM_MODEL",
  "MEM_MODE",
  "MEM_SECONDARY_MODEL",
  "MEM_SECONDARY_API_KEY",
  "MEM_COMPAT_MODEL",
  "MEM_COMPAT_BASE_URL",
  "MEM_COMPAT_API_KEY",
  "MEM_GENERATION_TIMEOUT_MS",
  "HOST_CLI_PATH",
  "MEM_LOG_LEVEL",
] as const satisfies readonly SettingKey[];

/** Throws `setting_invalid` where one of the worker's settings that the server takes over is not valid. */
export function demandWriterSettings({ misread }: Pick<LoadedSettings, "misread">): void {
  for (const key of writerKeys) {
    const problem = misread.get(key);
    if (problem === undefined) continue;
    throw new MemError("setting_invalid", {
      message: `${key} in ${problem}.`,
      hint: "Mend it, or unset it for the default.",
    });
  }
}

/** The server's settings in effect. Throws `setting_invalid`: a cap that is misread must not be no cap. */
export function loadServerSettings(environment: Environment): ServerSettings {
  const values = new Map<string, unknown>();
  for (const [key, definition] of Object.entries<Definition>(serverTable)) {
    const text = (environment[key] ?? "").trim();
    const value = typedValue(definition, text === "" ? definition.default : text);
    if (value === undefined) {
      throw new MemError("setting_invalid", {
        message: `${key} is not ${acceptedBy(definition)}.`,
        hint: `Unset it for the default (${definition.default === "" ? "empty" : definition.default}), or mend it.`,
      });
    }
    values.set(key, value);
  }
  return { get: (key) => values.get(key) as ValueOf<(typeof serverTable)[typeof key]> };
}
