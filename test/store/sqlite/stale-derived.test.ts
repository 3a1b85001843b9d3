import { afterEach, beforeEach, expect, it } from "vitest";
import { createStaleDerived } from "../../../src/store/sqlite/stale-derived.ts";
import { createMemorySearch } from "../../helpers/memory-search.ts";
import { createMemoryStore, type MemoryStore } from "../../helpers/memory-store.ts";

let memory: MemoryStore;
beforeEach(() => {
  memory = createMemoryStore();
});
afterEach(() => memory.close());

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

it("what an older version indexed is found, and by its single characters once it is renewed", async () => {
  memory.addObservation({ title: "登录失败 redirect" });
  memory.addSummary({ request: "登录" });
  memory.addPrompt("登录");
  makeOld();
  expect(await found("redirect")).toBe(1);
  const stale = createStaleDerived(memory.db);
  expect(stale.renew(2)).toBe(2);
  expect(stale.renew(2)).toBe(1);
  expect(stale.renew(2)).toBe(0);
  expect(await found("录")).toBe(3);
  expect(await found("redirect")).toBe(1);
  expect(memory.db.prepare("select count(*) from observation_terms").pluck().get()).toBe(1);
});

it("a record that is gone meanwhile leaves the list and no row behind", async () => {
  memory.addObservation({ title: "redirect" });
  makeOld();
  memory.db.exec("delete from observations");
  expect(createStaleDerived(memory.db).renew(10)).toBe(1);
  expect(memory.db.prepare("select count(*) from stale_derived").pluck().get()).toBe(0);
  expect(await found("redirect")).toBe(0);
});

it("a private prompt stays out of the index", async () => {
  memory.addPrompt("secret canary", { private: true });
  memory.db.exec("insert into stale_derived (kind, id) select 'user_prompts', id from user_prompts");
  expect(createStaleDerived(memory.db).renew(10)).toBe(1);
  expect(await found("canary")).toBe(0);
});
