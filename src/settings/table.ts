// Every setting there is, once: key, default, kind, what it accepts, when a change is seen, what it means.
import { modeWordId } from "../core/records/mode.ts";
import { observationConcepts, observationTypes } from "../core/records/records.ts";
import type { Definition, ValueOf } from "./definition.ts";

/** The table. Parsing, defaults, the settings file, help and `mem settings` are derived from it. */
export const settingsTable = {
  MEM_MODEL: {
    kind: "enum",
    values: ["haiku-4-5-20251001", "sonnet-5", "opus-4-8"],
    default: "haiku-4-5-20251001",
    effect: "restart",
    meaning: "Model that compresses observations for the primary provider.",
  },
  MEM_PROVIDER: {
    kind: "enum",
    values: ["primary", "secondary", "compat", "local"],
    default: "primary",
    effect: "restart",
    meaning: "Who writes observations; local needs no key and no network.",
  },
  MEM_PRIMARY_AUTH_METHOD: {
    kind: "enum",
    values: ["subscription", "api-key", "gateway"],
    default: "subscription",
    effect: "restart",
    meaning: "How the primary provider is paid for; gateway reads its keys from .env.",
  },
  MEM_MODE: {
    kind: "string",
    pattern: /^[a-z0-9]+(?:--?[a-z0-9]+)*$/,
    accepts: "the name of a mode, such as code or code--es",
    default: "code",
    effect: "restart",
    meaning: "Active mode profile.",
  },
  MEM_CONTEXT_OBSERVATIONS: {
    kind: "integer",
    min: 1,
    max: 200,
    default: "50",
    effect: "restart",
    meaning: "Observations injected at the start of a session.",
  },
  MEM_CONTEXT_SESSION_COUNT: {
    kind: "integer",
    min: 1,
    max: 50,
    default: "10",
    effect: "restart",
    meaning: "Sessions that injected observations are drawn from.",
  },
  MEM_CONTEXT_OBSERVATION_TYPES: {
    kind: "list",
    values: observationTypes,
    others: modeWordId,
    default: "all",
    effect: "restart",
    meaning: "Types of observation that are injected.",
  },
  MEM_CONTEXT_OBSERVATION_CONCEPTS: {
    kind: "list",
    values: observationConcepts,
    others: modeWordId,
    default: "all",
    effect: "restart",
    meaning: "Concepts of observation that are injected.",
  },
  MEM_CONTEXT_FULL_COUNT: {
    kind: "integer",
    min: 0,
    max: 20,
    default: "5",
    effect: "restart",
    meaning: "Newest observations that are shown expanded.",
  },
  MEM_CONTEXT_FULL_FIELD: {
    kind: "enum",
    values: ["narrative", "facts"],
    default: "narrative",
    effect: "restart",
    meaning: "What an expanded observation shows.",
  },
  MEM_CONTEXT_TOKEN_BUDGET: {
    kind: "integer",
    min: 200,
    max: 50_000,
    default: "1000",
    effect: "restart",
    meaning: "Tokens that one injected text may cost, as estimated; hosts take about 2,500.",
  },
  MEM_CONTEXT_SHOW_READ_TOKENS: {
    kind: "boolean",
    default: "true",
    effect: "restart",
    meaning: "Show what reading an observation costs.",
  },
  MEM_CONTEXT_SHOW_WORK_TOKENS: {
    kind: "boolean",
    default: "true",
    effect: "restart",
    meaning: "Show what the work behind an observation cost.",
  },
  MEM_CONTEXT_SHOW_SAVINGS_AMOUNT: {
    kind: "boolean",
    default: "true",
    effect: "restart",
    meaning: "Show how much reading saves over doing the work again.",
  },
  MEM_CONTEXT_SHOW_LAST_SUMMARY: {
    kind: "boolean",
    default: "false",
    effect: "restart",
    meaning: "Inject the last session summary too.",
  },
  MEM_CONTEXT_SHOW_LAST_MESSAGE: {
    kind: "boolean",
    default: "false",
    effect: "restart",
    meaning: "Inject the last message of the last session too.",
  },
  MEM_WORKER_PORT: {
    kind: "integer",
    min: 0,
    max: 65_535,
    default: String(37_700 + ((process.getuid?.() ?? 0) % 100)),
    effect: "restart",
    meaning: "Port of the worker; 0 takes any free one.",
  },
  MEM_WORKER_HOST: {
    kind: "string",
    pattern: /^[A-Za-z0-9.:_-]{1,253}$/,
    accepts: "a host name or address",
    default: "127.0.0.1",
    effect: "restart",
    meaning: "Address that the worker binds to.",
  },
  MEM_TV_TOKEN: {
    kind: "secret",
    default: "",
    effect: "restart",
    meaning: "Shared secret of the remote display; empty is off.",
  },
  MEM_DATA_DIR: {
    kind: "path",
    default: "~/.mem",
    effect: "restart",
    meaning: "Where everything is kept. Only the environment can move it.",
  },
  MEM_SKIP_TOOLS: {
    kind: "list",
    default: "ListMcpResourcesTool,SlashCommand,Skill,TodoWrite,AskUserQuestion",
    effect: "live",
    meaning: "Tools that no observation is made of.",
  },
  MEM_RAW_RETENTION_DAYS: {
    kind: "integer",
    min: 1,
    max: 3650,
    default: "30",
    effect: "restart",
    meaning: "Days that the cleaned raw events behind observations are kept.",
  },
  MEM_DAILY_TOKEN_BUDGET: {
    kind: "integer",
    min: 0,
    max: 1_000_000_000_000,
    default: "0",
    effect: "restart",
    meaning: "Tokens a model may cost a day; then local writes until midnight. 0 is no budget.",
  },
  MEM_MONTHLY_TOKEN_BUDGET: {
    kind: "integer",
    min: 0,
    max: 1_000_000_000_000,
    default: "0",
    effect: "restart",
    meaning: "Tokens a model may cost a calendar month; then local writes. 0 is no budget.",
  },
  MEM_GENERATION_TIMEOUT_MS: {
    kind: "integer",
    min: 5_000,
    max: 600_000,
    default: "90000",
    effect: "restart",
    meaning: "Milliseconds that a model may take for one answer.",
  },
  MEM_SECONDARY_API_KEY: {
    kind: "secret",
    default: "",
    effect: "restart",
    meaning: "Key for the secondary provider.",
  },
  MEM_SECONDARY_MODEL: {
    kind: "enum",
    values: ["flash-latest", "flash-lite-latest", "3.5-flash", "3.1-flash-lite", "3-flash-preview"],
    default: "flash-latest",
    effect: "restart",
    meaning: "Model of the secondary provider.",
  },
  MEM_COMPAT_API_KEY: {
    kind: "secret",
    default: "",
    effect: "restart",
    meaning: "Key for the compat provider.",
  },
  MEM_COMPAT_MODEL: {
    kind: "string",
    pattern: /^\S{1,200}$/,
    accepts: "a model id without spaces",
    default: "openrouter/free",
    effect: "restart",
    meaning: "Model id of the compat provider, sent unchanged.",
  },
  MEM_COMPAT_BASE_URL: {
    kind: "url",
    default: "",
    effect: "restart",
    meaning: "Chat-completions server; empty is the provider's public one.",
  },
  MEM_COMPAT_SITE_URL: {
    kind: "url",
    default: "",
    effect: "restart",
    meaning: "Sent to the compat provider for its analytics, if set.",
  },
  MEM_COMPAT_APP_NAME: {
    kind: "string",
    pattern: /^[\x20-\x7e]{0,80}$/,
    accepts: "up to 80 printable characters",
    default: "agent-mem",
    effect: "restart",
    meaning: "Sent to the compat provider for its analytics, if set.",
  },
  MEM_LOG_LEVEL: {
    kind: "enum",
    values: ["DEBUG", "INFO", "WARN", "ERROR", "SILENT"],
    default: "INFO",
    effect: "restart",
    meaning: "How much the worker writes to its log.",
  },
  MEM_PYTHON_VERSION: {
    kind: "string",
    pattern: /^\d+\.\d+(?:\.\d+)?$/,
    accepts: "a version such as 3.13",
    default: "3.13",
    effect: "restart",
    meaning: "Accepted and not used: no part of mem needs Python.",
  },
  MEM_VECTOR_INDEX: {
    kind: "boolean",
    default: "true",
    effect: "restart",
    meaning: "Search by meaning beside full text; off embeds and searches nothing.",
  },
  MEM_EMBEDDER: {
    kind: "enum",
    values: ["builtin", "onnx", "http", "off"],
    default: "builtin",
    effect: "restart",
    meaning: "What turns text into vectors: nothing to set up, a model on this machine, a server.",
  },
  MEM_EMBEDDING_MODEL: {
    kind: "string",
    pattern: /^[^\p{Cc}]{0,1024}$/u,
    accepts: "a model id, or the directory of a model",
    default: "",
    effect: "restart",
    meaning: "Model of the embedder; empty is onnx's own choice, http needs one.",
  },
  MEM_EMBEDDING_BASE_URL: {
    kind: "url",
    default: "",
    effect: "restart",
    meaning: "Server of the http embedder; an address that ends in /api is Ollama's.",
  },
  MEM_EMBEDDING_API_KEY: {
    kind: "secret",
    default: "",
    effect: "restart",
    meaning: "Key for the http embedder.",
  },
  HOST_CLI_PATH: {
    kind: "path",
    default: "",
    effect: "restart",
    meaning: "Path of the host agent's command; empty finds it.",
  },
  MEM_FOLDER_CONTEXT_ENABLED: {
    kind: "boolean",
    default: "false",
    effect: "restart",
    meaning: "Keep a context file with the activity of each folder.",
  },
  MEM_CLOUD_SYNC_WS: {
    kind: "boolean",
    default: "true",
    effect: "restart",
    meaning: "Live updates between devices; false polls only.",
  },
  MEM_CLOUD_SYNC_HUB_URL: {
    kind: "url",
    default: "",
    effect: "restart",
    meaning: "Hub address; sync needs a token and a user id too.",
  },
  MEM_CLOUD_SYNC_TOKEN: {
    kind: "secret",
    default: "",
    effect: "restart",
    meaning: "Token that the hub knows this account by.",
  },
  MEM_CLOUD_SYNC_USER_ID: {
    kind: "secret",
    default: "",
    effect: "restart",
    meaning: "User id at the hub.",
  },
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
