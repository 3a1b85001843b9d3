// Context over a store in memory, wired as the worker wires it.
import type { ContextSettings } from "../../src/context/context-settings.ts";
import { type Context, createContext } from "../../src/context/inject.ts";
import { createByFile } from "../../src/store/sqlite/by-file.ts";
import { createRecent } from "../../src/store/sqlite/recent.ts";
import type { MemoryStore } from "./memory-store.ts";

/** Context with the contract's default settings, but for those given. */
export function createMemoryContext(
  { db, store }: MemoryStore,
  settings: Partial<ContextSettings> = {},
  searchCommand = "mem search",
): Context {
  const { observations, summaries } = store;
  return createContext(
    { observations, summaries, ...createRecent(db), byFile: createByFile(db) },
    { ...defaults, ...settings },
    searchCommand,
  );
}

const defaults: ContextSettings = {
  observations: 50,
  sessions: 10,
  types: [],
  concepts: [],
  fullCount: 5,
  fullField: "narrative",
  readTokens: true,
  workTokens: true,
  savings: true,
  lastSummary: false,
  lastMessage: false,
};
