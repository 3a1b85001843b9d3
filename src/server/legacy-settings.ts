// The settings of a worker that the older routes follow. A server has no settings.json of a user: these are the defaults.
import type { ContextSettings } from "../context/context-settings.ts";
import { MemError } from "../core/errors.ts";
import { parseSetting, type SettingKey, type SettingValue, settingsTable } from "../settings/table.ts";

export function legacySkipTools(): ReadonlySet<string> {
  return new Set(byDefault("MEM_SKIP_TOOLS"));
}

export function legacyContextSettings(): ContextSettings {
  return {
    observations: byDefault("MEM_CONTEXT_OBSERVATIONS"),
    sessions: byDefault("MEM_CONTEXT_SESSION_COUNT"),
    types: byDefault("MEM_CONTEXT_OBSERVATION_TYPES"),
    concepts: byDefault("MEM_CONTEXT_OBSERVATION_CONCEPTS"),
    fullCount: byDefault("MEM_CONTEXT_FULL_COUNT"),
    fullField: byDefault("MEM_CONTEXT_FULL_FIELD"),
    tokenBudget: byDefault("MEM_CONTEXT_TOKEN_BUDGET"),
    readTokens: byDefault("MEM_CONTEXT_SHOW_READ_TOKENS"),
    workTokens: byDefault("MEM_CONTEXT_SHOW_WORK_TOKENS"),
    savings: byDefault("MEM_CONTEXT_SHOW_SAVINGS_AMOUNT"),
    lastSummary: byDefault("MEM_CONTEXT_SHOW_LAST_SUMMARY"),
    lastMessage: byDefault("MEM_CONTEXT_SHOW_LAST_MESSAGE"),
  };
}

function byDefault<K extends SettingKey>(key: K): SettingValue<K> {
  const parsed = parseSetting(key, settingsTable[key].default);
  if (parsed.ok) return parsed.value;
  throw new MemError("internal", { message: `The default of ${key} is ${parsed.problem}.` });
}
