// The settings of `mem server`, from the environment only, as containers have it. An invalid value stops the start.
import { MemError } from "../core/errors.ts";
import {
  acceptedBy,
  boolean,
  type Definition,
  integer,
  list,
  oneOf,
  parseValue,
  secret,
  setting,
  string,
  url,
  type ValueOf,
} from "./definition.ts";
import type { Environment } from "./environment.ts";
import type { LoadedSettings } from "./load.ts";
import { type SettingKey, settingKeys, settingsTable } from "./table.ts";

/** Every setting of the server; an unset or empty variable is the default. */
export const serverTable = {
  MEM_DATABASE_URL: setting(
    secret,
    "",
    "PostgreSQL 14 or later: postgresql://user:password@host/db. Empty: a private one.",
  ),
  MEM_DATABASE_CONNECTIONS: setting(integer(1, 200), "10", "Database connections for requests, per process."),
  MEM_AUTH_MODE: setting(
    oneOf("local", "api-key"),
    "local",
    "api-key requires a key; local serves one team on this machine without keys.",
  ),
  MEM_AUTH_FAILURES_PER_MIN: setting(
    integer(0, 1_000_000),
    "60",
    "Wrong keys per address and minute before it is refused; 0: no limit.",
  ),
  MEM_TRUSTED_PROXIES: setting(
    list(),
    "",
    "Proxies whose X-Forwarded-For is trusted: addresses, ranges, loopback, private.",
  ),
  MEM_PUBLIC_URL: setting(url, "", "Address of the server for clients; empty: taken from the request."),
  MEM_RATE_LIMIT_PER_MIN: setting(integer(0, 1_000_000), "0", "Requests per key and minute; 0: no limit."),
  MEM_HUB_RATE_LIMIT_PER_MIN: setting(
    integer(0, 1_000_000),
    "6000",
    "Sync requests per hub account and minute, in each process; 0: no limit.",
  ),
  MEM_MONTHLY_REQUEST_CAP: setting(
    integer(0, 1_000_000_000),
    "0",
    "Requests per team and month (UTC); 0: no cap.",
  ),
  MEM_MONTHLY_TOKEN_CAP: setting(
    integer(0, 1_000_000_000_000),
    "0",
    "Model tokens per team and month (UTC) for writes; 0: no cap.",
  ),
  MEM_USAGE_METERING: setting(boolean, "false", "Record a usage event for each authenticated request."),
  MEM_METRICS_PORT: setting(integer(0, 65_535), "0", "Port of /metrics (Prometheus); 0: off."),
  MEM_METRICS_HOST: setting(
    string(/^[A-Za-z0-9.:_-]{1,253}$/, "a host name or address"),
    "127.0.0.1",
    "Address that /metrics binds to.",
  ),
  MEM_GENERATION_CONCURRENCY: setting(integer(1, 64), "4", "Concurrent provider calls per process."),
  MEM_GENERATION_LEASE_SECONDS: setting(
    integer(2, 3600),
    "45",
    "Seconds until the jobs of a dead process are taken over.",
  ),
  MEM_EVENT_RETENTION_DAYS: setting(
    integer(1, 3650),
    "30",
    "Days to keep raw events, unless the team sets its own number. Records stay.",
  ),
  // Shared with the worker.
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

// A misspelt provider or model must not fall back to another one.
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

/** Throws `setting_invalid` if one of the worker's settings that the server uses is invalid. */
export function demandWriterSettings({ misread }: Pick<LoadedSettings, "misread">): void {
  for (const key of writerKeys) {
    const problem = misread.get(key);
    if (problem === undefined) continue;
    throw new MemError("setting_invalid", {
      message: `${key} in ${problem}.`,
      hint: "Fix it, or unset it for the default.",
    });
  }
}

/** The server's settings in effect. Throws `setting_invalid`: an invalid cap must not become no cap. */
export function loadServerSettings(environment: Environment): ServerSettings {
  const values = new Map<string, unknown>();
  for (const [key, definition] of Object.entries<Definition>(serverTable)) {
    const text = (environment[key] ?? "").trim();
    const value = parseValue(definition, text === "" ? definition.default : text);
    if (value === undefined) {
      throw new MemError("setting_invalid", {
        message: `${key} is not ${acceptedBy(definition)}.`,
        hint: `Unset it for the default (${definition.default === "" ? "empty" : definition.default}), or fix it.`,
      });
    }
    values.set(key, value);
  }
  return { get: (key) => values.get(key) as ValueOf<(typeof serverTable)[typeof key]> };
}

const known: readonly string[] = [...Object.keys(serverTable), ...settingKeys];

// Read by hooks, our child processes, hosts with a key, and tests.
const others = /^MEM_(?:GENERATING|HOOK_CA_CERTS|HOOK_TIMEOUT_MS|TV_TOKEN|API_KEY|TEST_.*)$/;
// Kubernetes sets these for a service named `mem`.
const ofServices = /^MEM_(?:\w+_)?(?:SERVICE_HOST|SERVICE_PORT\w*|PORT|PORT_\d+_(?:TCP|UDP)\w*)$/;

/** One sentence for each unknown variable with our prefix. */
export function unknownSettings(environment: Environment): string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith("MEM_") && environment[name] !== "" && !known.includes(name))
    .filter((name) => !others.test(name) && !ofServices.test(name))
    .sort()
    .map((name) => {
      const meant = nearest(name);
      return `${name} has no effect: there is no such setting.${meant === undefined ? "" : ` Is ${meant} meant?`}`;
    });
}

/** The setting that shares most letter runs; of several, the shortest. */
function nearest(name: string): string | undefined {
  const words = new Set(wordsOf(name));
  const shared = (candidate: string): number => wordsOf(candidate).filter((word) => words.has(word)).length;
  const [best] = known.toSorted((a, b) => shared(b) - shared(a) || a.length - b.length);
  return best !== undefined && shared(best) > 0 ? best : undefined;
}

// Runs of four letters match `RATELIMIT`, `RATE_LIMIT` and `RATE_LIMITS`.
function wordsOf(name: string): string[] {
  const letters = name.slice("MEM_".length).replaceAll("_", "");
  return Array.from({ length: Math.max(1, letters.length - 3) }, (_, at) => letters.slice(at, at + 4));
}
