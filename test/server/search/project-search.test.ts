import { expect, test } from "vitest";
import { zoneName } from "../../../src/core/local-days.ts";
import type { ProjectScope } from "../../../src/core/records/tenancy.ts";
import { createProjectSearch } from "../../../src/server/search/project-search.ts";
import { insertObservations } from "../../../src/store/postgres/observations.ts";
import { inTenant } from "../../../src/store/postgres/tenant.ts";
import { hostedObservation, makeProject } from "../../helpers/hosted-records.ts";
import { openTestDatabase } from "../../helpers/postgres.ts";

const database = await openTestDatabase();
const scope = await makeProject(database);
const zone = zoneName();
const noon = new Date(2026, 4, 20, 12).getTime();
const day = 24 * 60 * 60 * 1000;
const records: [title: string, daysAgo: number][] = [
  ["A report of all projects", 40],
  ["The parser keeps comments", 9],
  ["Yesterday's first: the login form", 1.1],
  ["Yesterday's last: the parser reads numbers", 1],
  ["The queue waits longer", 0.01],
];
await write(scope, records);

function write(into: ProjectScope, given: [title: string, daysAgo: number][]) {
  return inTenant(database.app, into, (connection) =>
    insertObservations(
      connection,
      given.map(([title, daysAgo]) =>
        hostedObservation(into, { title, created_at_epoch: noon - daysAgo * day }),
      ),
    ),
  );
}

const filter = { kind: null, obs_type: null, platform_source: null };

async function answerTo(
  words: string,
  now = noon,
  within = scope,
): Promise<{ titles: string[]; notes: string[] }> {
  const search = createProjectSearch({ now: () => now, monotonicMs: () => 0 });
  const { found, notes } = await inTenant(database.app, within, (connection) =>
    search.search(connection, within, { words, filter, limit: 10 }),
  );
  return { titles: found.map(({ title }) => title), notes };
}

test("a question about a period lists its records, newest first, with the time zone", async () => {
  expect(await answerTo("what did we do yesterday?")).toEqual({
    titles: ["Yesterday's last: the parser reads numbers", "Yesterday's first: the login form"],
    notes: [`"yesterday" is read as 2026-05-19, ${zone}: all records from that time, newest first.`],
  });
});

test("a period without records lists the newest from before, with a note", async () => {
  const { titles, notes } = await answerTo("what did we do 3 days ago?");
  expect(titles).toEqual(["The parser keeps comments", "A report of all projects"]);
  expect(notes).toEqual([
    `"3 days ago" is read as 2026-05-17, ${zone}: no record is from that time. These are the newest from before.`,
  ]);
});

test("a question for the newest lists them unless its words match; both with a note", async () => {
  const newest = await answerTo("show me recent work");
  expect(newest.titles[0]).toBe("The queue waits longer");
  expect(newest.notes).toEqual(["Read as a question for the newest records, which these are."]);
  const projects = await answerTo("all recent projects");
  expect(projects.titles[0]).toBe("The queue waits longer");
  const held = await answerTo("latest queue changes");
  expect(held.titles[0]).toBe("The queue waits longer");
  expect(held.notes).toEqual([]);
});

test.each(["latest report", "report list of recent projects", "report()"])(
  "the name of a thing is looked for: %s",
  async (words) => {
    expect(await answerTo(words)).toEqual({ titles: ["A report of all projects"], notes: [] });
  },
);

test.each(["not today", "everything but yesterday", "yesterday()"])(
  "what is not a time is looked for, and nothing is said of one: %s",
  async (words) => {
    expect((await answerTo(words)).notes).toEqual([]);
  },
);

test("a topic with a period is searched; records of the period rank first", async () => {
  const { titles, notes } = await answerTo("what did we change in the parser yesterday");
  expect(titles[0]).toBe("Yesterday's last: the parser reads numbers");
  expect(titles).toContain("The parser keeps comments");
  expect(notes).toEqual([`"yesterday" is read as 2026-05-19, ${zone}: matches from that time come first.`]);
  const many = await makeProject(database);
  await write(many, [
    ["Read something about the parser that has quite a long title, with many words beside it", 1],
    ...Array.from({ length: 150 }, (_, n): [string, number] => ["The parser", 9 + n / 1000]),
  ]);
  expect((await answerTo("parser work of yesterday", noon, many)).titles[0]).toMatch(/^Read something/);
});

test("a topic with an empty period is searched with the words of the period", async () => {
  const { titles, notes } = await answerTo("parser 2 months ago");
  expect(titles).toContain("The parser keeps comments");
  expect(notes).toEqual([expect.stringMatching(/: no match is from that time\.$/)]);
});

test("an unknown topic with a period lists records of the period, with a note", async () => {
  const { titles, notes } = await answerTo("which zeppelins did we polish in the last 2 hours");
  expect(titles).toEqual(["The queue waits longer"]);
  expect(notes).toEqual([expect.stringMatching(/^No record matches the other words\. "the last 2 hours"/)]);
});

test("a search after one that remembered the words gives the same answer", async () => {
  const search = createProjectSearch({ now: () => noon, monotonicMs: () => 0 });
  const ask = () =>
    inTenant(database.app, scope, (connection) =>
      search.search(connection, scope, { words: "parser numbers", filter, limit: 10 }),
    );
  const first = await ask();
  expect(first.found[0]?.title).toBe("Yesterday's last: the parser reads numbers");
  expect(await ask()).toEqual(first);
});

test("finds a local rule record by its quoted text, not by template words", async () => {
  const own = await makeProject(database);
  await inTenant(database.app, own, (connection) =>
    insertObservations(connection, [
      hostedObservation(own, {
        title: "npm run upload failed with exit code 1: too large",
        narrative: "Command: `npm run upload`. It ended with exit code 1.",
        generator: "local",
      }),
    ]),
  );
  const titles = async (words: string) => (await answerTo(words, noon, own)).titles.length;
  expect([await titles("the exit of Britain"), await titles("exi")]).toEqual([0, 0]);
  expect([await titles("upload"), await titles("uplo")]).toEqual([1, 1]);
});

test("emoji find their records, Russian words any ending, and other symbols nothing", async () => {
  const own = await makeProject(database);
  await write(own, [
    ["Ship it 🚀 on Monday", 3],
    ["Миграцию базы запускай отдельно", 2],
    ["Another record", 1],
  ]);
  const found = async (words: string) => (await answerTo(words, noon, own)).titles;
  for (const words of ["*", "'", "🐢"]) expect(await found(words)).toEqual([]);
  expect(await found("🚀")).toEqual(["Ship it 🚀 on Monday"]);
  expect(await found("миграции")).toEqual(["Миграцию базы запускай отдельно"]);
});

test.each(["parser", "parse"])("routine work is found behind everything else, by %s", async (words) => {
  const within = await makeProject(database);
  await inTenant(database.app, within, (connection) =>
    insertObservations(connection, [
      hostedObservation(within, { title: "The parser", routine: true }),
      hostedObservation(within, { title: "A long story in which a parser is named once among others" }),
    ]),
  );
  const { titles } = await answerTo(words, noon, within);
  expect(titles).toEqual(["A long story in which a parser is named once among others", "The parser"]);
});

test("a record that no longer holds is found behind one that says the same", async () => {
  const within = await makeProject(database);
  await inTenant(database.app, within, (connection) =>
    insertObservations(connection, [
      hostedObservation(within, { title: "The parser reads tabs" }),
      hostedObservation(within, { title: "The parser reads spaces", ended: true }),
    ]),
  );
  const { titles } = await answerTo("parser", noon, within);
  expect(titles).toEqual(["The parser reads tabs", "The parser reads spaces"]);
});
