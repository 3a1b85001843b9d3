// Context over a store in memory, wired as the worker wires it.

import { type Context, createContext } from "../../src/context/context.ts";
import type { ContextPort } from "../../src/context/context-port.ts";
import type { ContextSettings } from "../../src/context/context-settings.ts";
import type { FileContextRequest } from "../../src/context/file-context.ts";
import { createByFile } from "../../src/store/sqlite/by-file.ts";
import { createRankable, createRecent } from "../../src/store/sqlite/recent.ts";
import { createStatements } from "../../src/store/sqlite/statements.ts";
import type { MemoryStore } from "./memory-store.ts";

/** Context, and its texts alone. */
export interface MemoryContext extends Context {
  sessionText(project: string): Promise<string>;
  fileText(request: FileContextRequest): Promise<string | null>;
}

/** Context with the contract's default settings, but for those given. */
export function createMemoryContext(
  { db, store }: MemoryStore,
  settings: Partial<ContextSettings> = {},
  { searchCommand = "mem search", ...found }: ContextParts = {},
): MemoryContext {
  const { observations, summaries } = store;
  const statements = { ...createStatements(db), ...createRankable(db) };
  const context = createContext(
    { observations, summaries, statements, ...createRecent(db), byFile: createByFile(db), ...found },
    { ...defaults, ...settings },
    () => searchCommand,
  );
  return {
    ...context,
    sessionText: async (project) => (await context.forSession({ project })).text,
    fileText: async (request) => (await context.forFile(request))?.text ?? null,
  };
}

type ContextParts = Pick<
  ContextPort,
  "relevant" | "changedSince" | "contentOf" | "elsewhere" | "foldersOf"
> & {
  searchCommand?: string;
};

const defaults: ContextSettings = {
  observations: 50,
  sessions: 10,
  types: [],
  concepts: [],
  fullCount: 5,
  fullField: "narrative",
  tokenBudget: 2000,
  readTokens: true,
  workTokens: true,
  savings: true,
  lastSummary: false,
  lastMessage: false,
};
