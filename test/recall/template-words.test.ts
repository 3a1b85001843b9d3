// Records of the local rules, as prompts and searches find them.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Search } from "../../src/recall/search.ts";
import { broke, edited, observed, ran, type Use } from "../generate/providers/local/support.ts";
import { createMemorySearch } from "../helpers/memory-search.ts";
import { createMemoryStore, type MemoryStore } from "../helpers/memory-store.ts";

let memory: MemoryStore;
let search: Search;

const uses: Use[] = [
  broke("npx vitest run", "Exit code 1\nError: the upload stops at 5 MB"),
  ran("npm test", "Tests  4 passed (4)"),
  edited("src/quota.ts", ["-const most = 5;", "+const most = 50;"]),
  { tool: "Write", input: { file_path: "/home/user/shop/poem.md", content: "Roses\n" } },
  { tool: "Grep", input: { pattern: "maxBytes" }, response: "src/quota.ts:3: const maxBytes = 5;" },
  { tool: "Read", input: { file_path: "/home/user/shop/src/quota.ts" }, response: "export const most = 50;" },
];

beforeAll(() => {
  memory = createMemoryStore();
  for (const use of uses) memory.addObservation(observed(use));
  memory.addSummary({ request: "raise the quota", completed: "Edited src/quota.ts. Ran npx vitest run." });
  search = createMemorySearch(memory);
});
afterAll(() => memory.close());

async function found(query: string, isPrompt: boolean): Promise<number[]> {
  const { observations, sessions } = await search.search({ query, isPrompt, format: "index", limit: 20 });
  return [...observations, ...sessions].map(({ id }) => id);
}

const ofTemplates = [
  "Write a poetic text about the exit of Britain",
  "a code of conduct",
  "created, edited, ran, failed, passed",
  "what was printed, searched, listed or declared in lines and matches",
  "the completed request",
];

test.each(ofTemplates)("a prompt finds no record by template words: %s", async (prompt) => {
  expect(await found(prompt, true)).toEqual([]);
});

test.each(["exit", "creat", "searched", "printed", "completed"])(
  "a search finds no record by the template word %j, nor by a part of it",
  async (query) => {
    expect(await found(query, false)).toEqual([]);
  },
);

test.each([
  ["what stops the upload?", 1],
  ["why is the quota 50?", 4],
  ["roses", 1],
  ["maxBytes", 1],
  ["maxByt", 1],
])("%j finds what records quote", async (query, count) => {
  expect(await found(query, false)).toHaveLength(count);
});
