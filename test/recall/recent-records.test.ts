import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Search, SearchRequest } from "../../src/recall/search.ts";
import { createMemorySearch } from "../helpers/memory-search.ts";
import { createMemoryStore, type MemoryStore, someTime } from "../helpers/memory-store.ts";

const count = 11_000;
const minute = 60_000;
let memory: MemoryStore;
let search: Search;

// More rows than a step looks at; a hundred share a moment, so that steps end between equals. One in a thousand is rare.
beforeAll(() => {
  memory = createMemoryStore();
  memory.store.projects.ensure("app");
  memory.db
    .prepare(
      `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ?)
       insert into observations
         (id, sdk_session_id, project, obs_type, title, summary, concepts, generator, provenance, created_at_epoch)
       select n, 's', 'app', iif(n % 1000 = 0, 'bugfix', 'change'), 'row', 'row',
         iif(n % 1000 = 0, '["rare"]', '["plain"]'), 'local', 'file', ? + n / 100 * ?
       from numbers`,
    )
    .run(count, someTime, minute);
  search = createMemorySearch(memory);
});
afterAll(() => memory.close());

async function found(request: Partial<SearchRequest>): Promise<number[]> {
  const { observations } = await search.search({ format: "index", limit: 20, ...request });
  return observations.map(({ id }) => id);
}

const thousands = (from: number, to: number) =>
  Array.from({ length: from - to + 1 }, (_, index) => (from - index) * 1_000);

describe("what filters let through", () => {
  it("finds old records, newest first, in a project and in all projects", async () => {
    for (const project of [undefined, "app"]) {
      expect(await found({ project, concepts: ["rare"] })).toEqual(thousands(11, 1));
      expect(await found({ project, obs_type: "bugfix" })).toEqual(thousands(11, 1));
    }
    expect(await found({ concepts: ["nowhere"] })).toEqual([]);
  });

  it("pages neither repeat nor lose a record, also among equal times", async () => {
    expect(await found({ concepts: ["rare"], limit: 3, offset: 4 })).toEqual(thousands(7, 5));
    const page = await found({ concepts: ["plain"], limit: 100, offset: 5_900 });
    const newest = Array.from({ length: count }, (_, index) => count - index).filter((id) => id % 1_000 > 0);
    expect(page).toEqual(newest.slice(5_900, 6_000));
  });

  it("ends at the dates, both included", async () => {
    const at = (id: number) => someTime + Math.floor(id / 100) * minute;
    const dates = { dateStart: at(3_000), dateEnd: at(9_000) };
    expect(await found({ concepts: ["rare"], ...dates })).toEqual(thousands(9, 3));
    expect(await found({ concepts: ["rare"], dateStart: at(20_000) })).toEqual([]);
  });

  it("is what a search by words is held to", async () => {
    const concept = { concepts: ["rare"] };
    const inside = memory.addObservation({ project: "app", title: "the queue", ...concept });
    const outside = memory.addObservation({ project: "app", title: "the queue" });
    const old = memory.addObservation({ project: "app", title: "queue", at: someTime - minute, ...concept });
    const all = async (filter: Partial<SearchRequest>) => (await found({ query: "queue", ...filter })).sort();
    expect(await all({})).toEqual([inside.id, outside.id, old.id]);
    expect(await all(concept)).toEqual([inside.id, old.id]);
    expect(await all({ concepts: ["nowhere"] })).toEqual([]);
    expect(await all({ dateEnd: someTime - 1 })).toEqual([old.id]);
    expect(await all({ dateStart: someTime })).toEqual([inside.id, outside.id]);
  });
});
