import { expect, it } from "vitest";
import { createDerivedRebuild } from "../../../src/store/sqlite/derived-rebuild.ts";
import { createMemorySearch } from "../../helpers/memory-search.ts";
import { eachMemoryStore } from "../../helpers/memory-store.ts";

const memory = eachMemoryStore();

const kinds = ["observations", "session_summaries", "user_prompts"];

// As a database of an older version is: runs of characters as one token, no terms.
function makeOld(): void {
  const { db } = memory;
  db.exec("delete from observation_terms");
  for (const kind of kinds) db.exec(`insert into ${kind}_fts (${kind}_fts) values ('delete-all')`);
  const scope = "xp1 xtchange";
  db.prepare("insert into observations_fts (rowid, scope, title) values (1, ?, '登录失败 redirect')").run(
    scope,
  );
  for (const kind of kinds)
    db.prepare(`insert into stale_derived (kind, id) select ?, id from ${kind}`).run(kind);
}

async function found(query: string): Promise<number> {
  const { observations, sessions, prompts } = await createMemorySearch(memory).search({
    query,
    format: "index",
    limit: 20,
  });
  return observations.length + sessions.length + prompts.length;
}

it("a rebuilt record is found by single Chinese characters", async () => {
  memory.addObservation({ title: "登录失败 redirect" });
  memory.addSummary({ request: "登录" });
  memory.addPrompt("登录");
  makeOld();
  expect(await found("redirect")).toBe(1);
  const stale = createDerivedRebuild(memory.db);
  expect(stale.renew(2)).toBe(2);
  expect(stale.renew(2)).toBe(1);
  expect(stale.renew(2)).toBe(0);
  expect(await found("录")).toBe(3);
  expect(await found("redirect")).toBe(1);
  expect(memory.db.prepare("select count(*) from observation_terms").pluck().get()).toBe(1);
});

it("a deleted record leaves the list and no derived row", async () => {
  memory.addObservation({ title: "redirect" });
  makeOld();
  memory.db.exec("delete from observations");
  expect(createDerivedRebuild(memory.db).renew(10)).toBe(1);
  expect(memory.db.prepare("select count(*) from stale_derived").pluck().get()).toBe(0);
  expect(await found("redirect")).toBe(0);
});

it("does not index a private prompt", async () => {
  memory.addPrompt("secret canary", { private: true });
  memory.db.exec("insert into stale_derived (kind, id) select 'user_prompts', id from user_prompts");
  expect(createDerivedRebuild(memory.db).renew(10)).toBe(1);
  expect(await found("canary")).toBe(0);
});

it("lists every record, and every derived row without a record", () => {
  memory.addObservation({ title: "redirect", files_read: ["a.ts"] });
  memory.addSummary({ request: "redirect" });
  memory.addPrompt("redirect");
  memory.db.exec("insert into observations_fts (rowid, scope, title) values (900, 'p1', 'ghost')");
  memory.db.exec("insert into user_prompts_fts (rowid, scope, body) values (-5, 'p1', 'ghost')");
  // One id at a time: no range may be left out.
  const { list } = createDerivedRebuild(memory.db);
  for (let at = list(1); at !== null; ) at = list(1, at);
  expect(
    memory.db.prepare("select kind || ' ' || id from stale_derived order by kind, id").pluck().all(),
  ).toEqual([
    "observations 1",
    "observations 900",
    "session_summaries 1",
    "user_prompts -5",
    "user_prompts 1",
  ]);
});
