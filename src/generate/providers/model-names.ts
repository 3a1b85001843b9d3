// Model names of the settings, which omit the vendor's prefix, and the vendors' full ids.

interface ModelName {
  /** As the vendor spells it. */
  id: string;
  /** Request option for the least thinking: records need none, and it is billed. */
  thinking?: object;
}

// Sonnet 5 thinks by default; the others do not.
const primary: Readonly<Record<string, ModelName>> = {
  "haiku-4-5-20251001": { id: "claude-haiku-4-5-20251001" },
  "sonnet-5": { id: "claude-sonnet-5", thinking: { type: "disabled" } },
  "opus-4-8": { id: "claude-opus-4-8" },
};

// `low` is the least that every Flash accepts: the newest refuse `minimal`. Flash-Lite uses `minimal` by default.
const secondary: Readonly<Record<string, ModelName>> = {
  "flash-latest": { id: "gemini-flash-latest", thinking: { thinkingLevel: "low" } },
  "flash-lite-latest": { id: "gemini-flash-lite-latest" },
  "3.5-flash": { id: "gemini-3.5-flash", thinking: { thinkingLevel: "low" } },
  "3.1-flash-lite": { id: "gemini-3.1-flash-lite" },
  "3-flash-preview": { id: "gemini-3-flash-preview", thinking: { thinkingLevel: "low" } },
};

/** The model of `MEM_MODEL`. A name that is not in the table, as a test or a gateway may have, gets the prefix. */
export function primaryModel(name: string): ModelName {
  return primary[name] ?? { id: prefixed("claude-", name) };
}

/** The model of `MEM_SECONDARY_MODEL`. */
export function secondaryModel(name: string): ModelName {
  return secondary[name] ?? { id: prefixed("gemini-", name) };
}

function prefixed(prefix: string, name: string): string {
  return name.startsWith(prefix) ? name : prefix + name;
}
