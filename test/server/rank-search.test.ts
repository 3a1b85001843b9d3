import { expect, test } from "vitest";
import { createProjectSearch } from "../../src/server/rank-search.ts";
import { insertObservations } from "../../src/store/postgres/observations.ts";
import { inTenant } from "../../src/store/postgres/tenant.ts";
import { hostedObservation, makeProject } from "../helpers/hosted-records.ts";
import { openTestDatabase } from "../helpers/postgres.ts";

const database = await openTestDatabase();
const scope = await makeProject(database);
const noon = new Date(2026, 4, 20, 12).getTime();
const day = 24 * 60 * 60 * 1000;
const records: [title: string, daysAgo: number][] = [
  ["The parser keeps comments", 9],
  ["Yesterday's first: the login form", 1.1],
  ["Yesterday's last: the parser reads numbers", 1],
  ["The queue waits longer", 0.01],
];
await inTenant(database.app, scope, (connection) =>
  insertObservations(
    connection,
    records.map(([title, daysAgo]) =>
      hostedObservation(scope, { title, created_at_epoch: noon - daysAgo * day }),
    ),
  ),
);

const filter = { kind: null, obs_type: null, platform_source: null };

async function titlesOf(words: string, now = noon): Promise<string[]> {
  const search = createProjectSearch({ now: () => now, monotonicMs: () => 0 });
  const found = await inTenant(database.app, scope, (connection) =>
    search.search(connection, scope, { words, filter, limit: 10 }),
  );
  return found.map(({ title }) => title);
}

test("a question for all of a time is answered with the records of then, the newest first", async () => {
  expect(await titlesOf("what did we do yesterday?")).toEqual([
    "Yesterday's last: the parser reads numbers",
    "Yesterday's first: the login form",
  ]);
});

test("a question for a time of which nothing is known is answered with the newest records", async () => {
  expect((await titlesOf("what did we do yesterday?", noon + 30 * day))[0]).toBe("The queue waits longer");
});

test("a topic beside a time is what is looked for", async () => {
  const found = await titlesOf("what did we change in the parser last week");
  expect(found.sort()).toEqual(["The parser keeps comments", "Yesterday's last: the parser reads numbers"]);
});

test("a search after one that remembered the words gives the same answer", async () => {
  const search = createProjectSearch({ now: () => noon, monotonicMs: () => 0 });
  const ask = () =>
    inTenant(database.app, scope, (connection) =>
      search.search(connection, scope, { words: "parser numbers", filter, limit: 10 }),
    );
  const first = await ask();
  expect(first[0]?.title).toBe("Yesterday's last: the parser reads numbers");
  expect(await ask()).toEqual(first);
});
