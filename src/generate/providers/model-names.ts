// The one table from the model names of the settings, which leave the vendor's prefix out, to the vendors' full ids.

interface ModelName {
  /** As the vendor spells it. */
  id: string;
  /** What the request must say so that the model thinks as little as it can: writing records needs none, and it is paid. */
  thinking?: object;
}

// A Sonnet 5 thinks unless it is told not to; the others of this table do not unless they are told to.
const primary: Readonly<Record<string, ModelName>> = {
  "haiku-4-5-20251001": { id: "claude-haiku-4-5-20251001" },
  "sonnet-5": { id: "claude-sonnet-5", thinking: { type: "disabled" } },
  "opus-4-8": { id: "claude-opus-4-8" },
};

// `low` is the least that every Flash takes, the newest refuse `minimal`; a Flash-Lite is at `minimal` by itself.
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
