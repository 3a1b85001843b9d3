// Every setting of the worker, once. Parsing, defaults, settings.json, `mem settings` and the docs are derived from it.
import { MemError } from "../core/errors.ts";
import { modeWordId } from "../core/records/mode.ts";
import { observationConcepts, observationTypes } from "../core/records/records.ts";
import {
  acceptedBy,
  boolean,
  type Definition,
  integer,
  list,
  oneOf,
  parseValue,
  path,
  secret,
  setting,
  string,
  url,
  type ValueOf,
} from "./definition.ts";

export const settingsTable = {
  MEM_MODEL: setting(
    oneOf("haiku-4-5-20251001", "sonnet-5", "opus-4-8"),
    "haiku-4-5-20251001",
    "Model of the primary provider.",
  ),
  MEM_PROVIDER: setting(
    oneOf("primary", "secondary", "compat", "local"),
    "primary",
    "Provider that writes observations; local needs no key and no network.",
  ),
  MEM_PRIMARY_AUTH_METHOD: setting(
    oneOf("subscription", "api-key", "gateway"),
    "subscription",
    "Login of the primary provider; gateway reads its keys from .env.",
  ),
  MEM_MODE: setting(
    string(/^[a-z0-9]+(?:--?[a-z0-9]+)*$/, "the name of a mode, such as code or code--es"),
    "code",
    "Active mode.",
  ),
  MEM_CONTEXT_OBSERVATIONS: setting(
    integer(1, 200),
    "50",
    "Observations injected at the start of a session.",
  ),
  MEM_CONTEXT_SESSION_COUNT: setting(integer(1, 50), "10", "Sessions whose observations may be injected."),
  MEM_CONTEXT_OBSERVATION_TYPES: setting(
    list(observationTypes, modeWordId),
    "all",
    "Observation types to inject.",
  ),
  MEM_CONTEXT_OBSERVATION_CONCEPTS: setting(
    list(observationConcepts, modeWordId),
    "all",
    "Observation concepts to inject.",
  ),
  MEM_CONTEXT_FULL_COUNT: setting(integer(0, 20), "5", "Newest observations to show in full."),
  MEM_CONTEXT_FULL_FIELD: setting(
    oneOf("narrative", "facts"),
    "narrative",
    "Field that an observation in full shows.",
  ),
  MEM_CONTEXT_TOKEN_BUDGET: setting(
    integer(200, 50_000),
    "1000",
    "Estimated tokens of one injected text; hosts take about 2,500.",
  ),
  MEM_CONTEXT_SHOW_READ_TOKENS: setting(boolean, "true", "Show the token cost of reading an observation."),
  MEM_CONTEXT_SHOW_WORK_TOKENS: setting(
    boolean,
    "true",
    "Show the token cost of the work behind an observation.",
  ),
  MEM_CONTEXT_SHOW_SAVINGS_AMOUNT: setting(
    boolean,
    "true",
    "Show the tokens saved by reading instead of repeating the work.",
  ),
  MEM_CONTEXT_SHOW_LAST_SUMMARY: setting(boolean, "false", "Also inject the last session summary."),
  MEM_CONTEXT_SHOW_LAST_MESSAGE: setting(
    boolean,
    "false",
    "Also inject the last message of the last session.",
  ),
  MEM_WORKER_PORT: setting(
    integer(0, 65_535),
    String(37_700 + ((process.getuid?.() ?? 0) % 100)),
    "Port of the worker; 0 takes any free port.",
  ),
  MEM_WORKER_HOST: setting(
    string(/^[A-Za-z0-9.:_-]{1,253}$/, "a host name or address"),
    "127.0.0.1",
    "Address that the worker binds to.",
  ),
  MEM_TV_TOKEN: setting(
    secret,
    "",
    "Secret with which other machines open the TV page, read-only; `mem tv enable` makes one.",
  ),
  MEM_DATA_DIR: setting(path, "~/.mem", "Data directory. Only the environment can set it."),
  MEM_SKIP_TOOLS: setting(
    list(),
    "ListMcpResourcesTool,SlashCommand,Skill,TodoWrite,AskUserQuestion",
    "Tools that mem makes no observations of.",
    "live",
  ),
  MEM_EXCLUDE_PATHS: setting(
    list(),
    "",
    "Folders and files that are never recorded: globs such as ~/clients/**, **/secrets, *.pem.",
    "live",
  ),
  MEM_EXCLUDE_PROJECTS: setting(
    list(),
    "",
    "Projects that are neither recorded nor injected; `mem project off` adds one.",
    "live",
  ),
  MEM_RAW_RETENTION_DAYS: setting(
    integer(1, 3650),
    "30",
    "Days to keep the cleaned raw events behind observations.",
  ),
  MEM_DAILY_TOKEN_BUDGET: setting(
    integer(0, 1_000_000_000_000),
    "0",
    "Model tokens per day; when spent, local writes until midnight. 0: no budget.",
  ),
  MEM_MONTHLY_TOKEN_BUDGET: setting(
    integer(0, 1_000_000_000_000),
    "0",
    "Model tokens per calendar month; when spent, local writes. 0: no budget.",
  ),
  MEM_GENERATION_TIMEOUT_MS: setting(
    integer(5_000, 600_000),
    "90000",
    "Timeout of one model reply in milliseconds.",
  ),
  MEM_SECONDARY_API_KEY: setting(secret, "", "Key for the secondary provider."),
  MEM_SECONDARY_MODEL: setting(
    oneOf("flash-latest", "flash-lite-latest", "3.5-flash", "3.1-flash-lite", "3-flash-preview"),
    "flash-latest",
    "Model of the secondary provider.",
  ),
  MEM_COMPAT_API_KEY: setting(secret, "", "Key for the compat provider."),
  MEM_COMPAT_MODEL: setting(
    string(/^\S{1,200}$/, "a model id without spaces"),
    "openrouter/free",
    "Model id of the compat provider, sent unchanged.",
  ),
  MEM_COMPAT_BASE_URL: setting(url, "", "Chat-completions server; empty: the provider's public one."),
  MEM_COMPAT_SITE_URL: setting(url, "", "Site URL sent to the compat provider for its analytics."),
  MEM_COMPAT_APP_NAME: setting(
    string(/^[\x20-\x7e]{0,80}$/, "up to 80 printable characters"),
    "agent-mem",
    "App name sent to the compat provider for its analytics.",
  ),
  MEM_LOG_LEVEL: setting(
    oneOf("DEBUG", "INFO", "WARN", "ERROR", "SILENT"),
    "INFO",
    "Lowest level written to the worker's log.",
  ),
  MEM_PYTHON_VERSION: setting(
    string(/^\d+\.\d+(?:\.\d+)?$/, "a version such as 3.13"),
    "3.13",
    "Accepted but unused: no part of mem needs Python.",
  ),
  MEM_VECTOR_INDEX: setting(boolean, "true", "Vector search beside full text."),
  MEM_EMBEDDER: setting(
    oneOf("builtin", "onnx", "http", "off"),
    "builtin",
    "Turns text into vectors: onnx (a local model), http (a server); builtin and off keep none.",
  ),
  MEM_EMBEDDING_MODEL: setting(
    string(/^[^\p{Cc}]{0,1024}$/u, "a model id, or the directory of a model"),
    "",
    "Model of the embedder; empty: the default of onnx. http requires one.",
  ),
  MEM_EMBEDDING_BASE_URL: setting(
    url,
    "",
    "Server of the http embedder; an address that ends in /api is an Ollama server.",
  ),
  MEM_EMBEDDING_API_KEY: setting(secret, "", "Key for the http embedder."),
  HOST_CLI_PATH: setting(path, "", "Path of the host agent's command; empty: searched on PATH."),
  MEM_MCP_WRITE: setting(
    boolean,
    "true",
    "Let the host's agent keep and take back records over MCP; false: it only reads.",
  ),
  MEM_HOST_MEMORY: setting(
    boolean,
    "true",
    "Tell every host what the agent of another one keeps in its own memory files; false: only that one knows it.",
  ),
  MEM_FOLDER_CONTEXT_ENABLED: setting(
    boolean,
    "false",
    "Write a context file with recent activity into each folder.",
  ),
  MEM_CLOUD_SYNC_WS: setting(boolean, "true", "Live updates between devices; false: polling only."),
  MEM_CLOUD_SYNC_HUB_URL: setting(
    url,
    "",
    "Address of the hub that syncs devices; sync also needs a token and a user id.",
  ),
  MEM_CLOUD_SYNC_TOKEN: setting(secret, "", "Token of this account at the hub."),
  MEM_CLOUD_SYNC_USER_ID: setting(secret, "", "User id at the hub."),
  MEM_CLOUD_SYNC_DEVICE_NAME: setting(
    string(/^(?:\S(?:.{0,78}\S)?)?$/u, "at most 80 characters"),
    "",
    "Name of this device at the hub; empty: the name of the machine.",
  ),
  MEM_TEAM_SERVER_URL: setting(url, "", "Address of the team's server, from `mem server connect`."),
  MEM_TEAM_SERVER_KEY: setting(secret, "", "API key for the team's server."),
} as const satisfies Record<string, Definition>;

export type SettingKey = keyof typeof settingsTable;

/** The typed value of a setting. */
export type SettingValue<K extends SettingKey> = ValueOf<(typeof settingsTable)[K]>;

/** Every key, in the order of the table. */
export const settingKeys: readonly SettingKey[] = Object.keys(settingsTable).filter(isSettingKey);

export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(settingsTable, key);
}

/** The row of a setting. */
export function definitionOf(key: SettingKey): Definition {
  return settingsTable[key];
}

export type ParsedSetting<K extends SettingKey = SettingKey> =
  | { ok: true; value: SettingValue<K> }
  | { ok: false; problem: string };

/** The typed value of `text`, or a problem that never repeats a secret. */
export function parseSetting<K extends SettingKey>(key: K, text: string): ParsedSetting<K> {
  const definition = definitionOf(key);
  const value = parseValue(definition, text.trim());
  if (value !== undefined) return { ok: true, value: value as SettingValue<K> };
  const shown = definition.kind === "secret" ? "The value" : `"${text.slice(0, 80)}"`;
  return { ok: false, problem: `${shown} is not ${acceptedBy(definition)}` };
}

/** The default of a setting. */
export function byDefault<K extends SettingKey>(key: K): SettingValue<K> {
  const parsed = parseSetting(key, settingsTable[key].default);
  if (parsed.ok) return parsed.value;
  throw new MemError("internal", { message: `The default of ${key} is ${parsed.problem}.` });
}
