import { expect, test } from "vitest";
import { createSearch } from "../../src/recall/search.ts";
import { createMemorySearch, memorySearchPort } from "../helpers/memory-search.ts";
import { eachMemoryStore, someTime } from "../helpers/memory-store.ts";

const memory = eachMemoryStore();

async function found(query: string, { limit = 20, offset = 0 } = {}): Promise<number[]> {
  const search = createMemorySearch(memory);
  const { prompts } = await search.search({ query, type: "prompts", format: "index", limit, offset });
  return prompts.map(({ id }) => id);
}

test("a question is no answer to itself, however it is spelled", async () => {
  memory.addPrompt("Why does the login loop?");
  memory.addPrompt("why  does the LOGIN loop");
  const other = memory.addPrompt("Fix the login loop").id;
  expect(await found("why does the login loop?")).toEqual([other]);
  expect(await found("the login loop")).toHaveLength(3);
});

test("what only the question holds is in no answer, and its beginnings are looked for", async () => {
  memory.addPrompt("redirec logi");
  const other = memory.addPrompt("Fix the redirect").id;
  expect(await found("redirec logi")).toEqual([other]);
});

test("pages neither repeat nor lose a prompt behind those that are left out", async () => {
  const ids = ["login loop", "a login loop", "the login loop!", "login loop", "login loop again"].map(
    (text) => memory.addPrompt(text).id,
  );
  const pages = [];
  for (const offset of [0, 1, 2]) pages.push(...(await found("login loop", { limit: 1, offset })));
  expect(pages.sort()).toEqual([ids[1], ids[2], ids[4]]);
});

test("a question of function words alone is left out too", async () => {
  memory.addPrompt("what is it");
  expect(await found("What is it?")).toEqual([]);
});

test("one word is a topic, not a question", async () => {
  memory.addPrompt("Login");
  expect(await found("login")).toHaveLength(1);
});

test("without words every prompt is listed", async () => {
  memory.addPrompt("Why?");
  expect(await found("")).toHaveLength(1);
});

test("the prompt that an agent works on is found once its turn has ended", async () => {
  const { store } = memory;
  const session = store.sessions.insert({
    ...{ claude_session_id: "now", sdk_session_id: "sdk now", project: "app", host: "claude-code" },
    ...{ cwd: null, now: someTime },
  });
  const own = memory.addPrompt("Look up what we know of the login loop", { session: "now" });
  const { prompt_number } = own;
  store.sessions.setNewestPrompt(session, { prompt_number, event_key: "p", private: 0, now: someTime });
  const port = memorySearchPort(memory);
  const underWay = () => store.prompts.underWay(someTime - 1_000);
  const search = createSearch({ ...port, prompts: { ...port.prompts, underWay } });
  const hits = async (query: string) =>
    (await search.search({ query, format: "index", limit: 20 })).prompts.map(({ id }) => id);
  expect(await hits("login loop")).toEqual([]);
  const end = { session_id: session, kind: "summarize" as const, event_key: "end", payload: "{}" };
  store.rawEvents.insert({ ...end, now: someTime + 1 });
  expect(await hits("login loop")).toEqual([own.id]);
});
