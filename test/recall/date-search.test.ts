import { describe, expect, it } from "vitest";
import { zoneName } from "../../src/core/local-days.ts";
import { eachMemorySearch } from "../helpers/memory-search.ts";

const index = { format: "index", limit: 20 } as const;
const now = new Date(2026, 4, 21, 15, 30).getTime();
const zone = zoneName();
const at = (day: number, hour = 12) => new Date(2026, 4, day, hour).getTime();

const { memory, search } = eachMemorySearch(now);

function add(title: string, when: number, project = "app"): number {
  return memory.addObservation({ title, at: when, project, session: `${project} ${when}` }).id;
}

async function found(query: string, more = {}): Promise<number[]> {
  return (await search({ ...index, ...more, query })).observations.map(({ id }) => id);
}

describe("a question for all of a time", () => {
  it("returns the records of that time alone, newest first, with a note", async () => {
    // Has the words of the question, which carry no meaning.
    add("what happened last week, what we did today", at(1));
    const morning = add("Edited the parser", at(21, 9));
    const noon = add("Ran the tests", at(21, 12));
    add("Read a file", at(20, 23));
    const answer = await search({ ...index, query: "what did we do today" });
    expect(answer.observations).toMatchObject([
      { id: noon, matched_by: ["time"] },
      { id: morning, matched_by: ["time"] },
    ]);
    expect(answer.notes).toEqual([
      `"today" is read as 2026-05-21, ${zone}: all records from that time, newest first.`,
    ]);
  });

  it.each([
    ["what did I work on yesterday", 20],
    ["what happened last week", 13],
    ["what changed on 2026-05-03", 3],
    ["three days ago", 18],
  ])("goes by the calendar of the person: %s", async (query, day) => {
    const ids = new Map([3, 13, 18, 20, 21].map((one) => [one, add("Edited a file", at(one, 1))]));
    expect(await found(query)).toEqual([ids.get(day)]);
  });

  it("finds sessions and prompts of that time too, inside the project and the filters", async () => {
    const prompt = memory.addPrompt("fix it", { at: at(21) });
    const summary = memory.addSummary({ request: "Fix it", at: at(21) });
    add("Edited a file", at(21), "other");
    const answer = await search({ ...index, query: "what did we do today", project: "app" });
    expect(answer).toMatchObject({
      observations: [],
      sessions: [{ id: summary.id }],
      prompts: [{ id: prompt.id }],
    });
    expect(await found("what did we do today", { obs_type: "bugfix" })).toEqual([]);
  });

  it("has pages that neither repeat nor lose a record, and ends", async () => {
    const ids = [9, 10, 11].map((hour) => add("Edited a file", at(21, hour))).reverse();
    add("Edited a file", at(20));
    const pages = await Promise.all([0, 2, 4].map((offset) => found("today", { limit: 2, offset })));
    expect(pages).toEqual([ids.slice(0, 2), ids.slice(2), []]);
  });
});

describe("a question for a time without any record", () => {
  it("is answered with the newest from before, told as such", async () => {
    add("Edited a file", at(10));
    const newest = add("Ran the tests", at(12));
    const answer = await search({ ...index, query: "what did we do today", limit: 1 });
    expect(answer.observations).toMatchObject([{ id: newest, matched_by: ["filters"] }]);
    expect(answer.notes).toEqual([
      `"today" is read as 2026-05-21, ${zone}: no record is from that time. These are the newest from before.`,
    ]);
  });

  it("is never empty without a word", async () => {
    expect((await search({ ...index, query: "what did we do today" })).notes).toEqual([
      `"today" is read as 2026-05-21, ${zone}: no record is from that time.`,
    ]);
  });
});

describe("a question for no time in particular", () => {
  it("is answered with the newest, told as such", async () => {
    const ids = [add("Edited a file", at(1)), add("Ran the tests", at(12))].reverse();
    for (const query of ["show me recent work", "what did we do", "what's new"]) {
      const answer = await search({ ...index, query });
      expect(answer.observations.map(({ id }) => id)).toEqual(ids);
      expect(answer.notes).toEqual(["Read as a question for the newest records, which these are."]);
    }
  });

  it("finds the records that hold its words, when there are any, and says so", async () => {
    const old = add("Recent projects: the page that shows them", at(1));
    for (const hour of [9, 10]) add("Ran the tests", at(20, hour));
    const answer = await search({ ...index, query: "recent projects" });
    expect(answer.observations).toMatchObject([{ id: old, matched_by: ["words"] }]);
    expect(answer.notes).toEqual([expect.stringMatching(/^Searched for the words/)]);
  });

  it.each(["latest report", "recent projects list", "yesterday()"])(
    "looks for what is a name: %s",
    async (query) => {
      const old = add(`The ${query}`, at(1));
      for (const hour of [9, 10]) add("Ran the tests", at(20, hour));
      expect(await found(query)).toEqual([old]);
    },
  );
});

describe("a question for a topic with a time", () => {
  it("finds the topic, what is of then first, and says how it was read", async () => {
    const old = add("Edited the parser of dates", at(1));
    const yesterday = add("Ran the parser's tests", at(20));
    const today = add("Edited the parser of numbers", at(21));
    add("Read a file", at(20));
    const answer = await search({ ...index, query: "what did we do to the parser yesterday" });
    const ids = answer.observations.map(({ id }) => id);
    expect(ids[0]).toBe(yesterday);
    expect([...ids].sort()).toEqual([old, yesterday, today].sort());
    expect(answer.notes).toEqual([
      `"yesterday" is read as 2026-05-20, ${zone}: matches from that time come first.`,
    ]);
  });

  it("finds what is of then among more records of the topic than are compared", async () => {
    const meant = add("Read something about the parser that has quite a long title", at(20));
    for (let n = 0; n < 150; n++) add("The parser", at(1) + n);
    expect((await found("parser work of yesterday"))[0]).toBe(meant);
  });

  it("puts sessions and prompts of then first as well", async () => {
    const meant = memory.addPrompt("look at the parser and at many other things in the code", { at: at(20) });
    memory.addPrompt("the parser", { at: at(1), session: "b" });
    const { prompts } = await search({ ...index, query: "the parser yesterday" });
    expect(prompts.map(({ id }) => id)[0]).toBe(meant.id);
  });
});

describe("a topic of which nothing is of the time", () => {
  it("is found all the same, and that is said", async () => {
    const old = add("Edited the parser", at(1));
    const answer = await search({ ...index, query: "parser changes this week" });
    expect(answer.observations.map(({ id }) => id)).toEqual([old]);
    expect(answer.notes).toEqual([
      `"this week" is read as 2026-05-18 to 2026-05-24, ${zone}: no match is from that time.`,
    ]);
  });

  it("is looked for with the words of the time", async () => {
    const told = add("The parser failed last week", at(1));
    add("The parser failed", at(2));
    expect((await found("parser failures of last week"))[0]).toBe(told);
  });

  it("or of no time is answered with the records of the time, told as such", async () => {
    const { id } = memory.addObservation({ title: "Ran the tests", at: at(20) });
    const answer = await search({ ...index, query: "which zeppelins did we polish yesterday" });
    expect(answer.observations.map((hit) => hit.id)).toEqual([id]);
    expect(answer.notes[0]).toMatch(/^No record matches the other words\. "yesterday" is read as/);
  });

  it("or of no time brings nothing into a prompt", async () => {
    memory.addObservation({ title: "Ran the tests", at: at(20) });
    expect(await found("polish the zeppelins of yesterday", { isPrompt: true })).toEqual([]);
  });
});
