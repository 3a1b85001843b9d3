import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eachMemorySearch } from "../helpers/memory-search.ts";
import { someTime } from "../helpers/memory-store.ts";
import { volume } from "../helpers/volume.ts";

const index = { format: "index", limit: 20 } as const;
const day = 24 * 60 * 60 * 1000;

const { memory, search } = eachMemorySearch();

describe("words", () => {
  it("find the answer to a natural question", async () => {
    memory.addObservation({ title: "Read package.json" });
    const fix = memory.addObservation({
      title: "Edited src/auth/login.ts: redirect after sign-in kept the query",
      obs_type: "bugfix",
    });
    const found = await search({ ...index, query: "how did we fix the login redirect?" });
    expect(found.observations.map((hit) => hit.id)).toEqual([fix.id]);
  });

  it("find parts of identifiers, and an identifier by its parts", async () => {
    const { id } = memory.addObservation({ facts: ["renamed parseConfig to loadSettings"] });
    for (const query of ["parse config", "parseConfig", "PARSECONFIG", "settings"]) {
      expect((await search({ ...index, query })).observations.map((hit) => hit.id)).toEqual([id]);
    }
  });

  it("find beginnings of words when the words themselves are nowhere", async () => {
    const { id } = memory.addObservation({ title: "Authentication middleware added" });
    expect(
      (await search({ ...index, query: "authentic middlew" })).observations.map((hit) => hit.id),
    ).toEqual([id]);
  });

  it("do not fall back to beginnings on a page behind the last one", async () => {
    memory.addObservation({ title: "log" });
    memory.addObservation({ title: "logarithm" });
    const found = await search({ ...index, query: "log", offset: 1, limit: 1 });
    expect(found.observations).toEqual([]);
  });

  it("that hold nothing to look for find nothing, and no words list the newest", async () => {
    const { id } = memory.addObservation({});
    expect((await search({ ...index, query: "?!" })).observations).toEqual([]);
    expect((await search({ ...index, query: "  " })).observations.map((hit) => hit.id)).toEqual([id]);
    expect((await search(index)).observations.map((hit) => hit.id)).toEqual([id]);
  });

  it("prefer the newer of two equal records, and the better of two of any age", async () => {
    const recent = memory.addObservation({ title: "Fixed the queue race", session: "a", at: someTime });
    const old = memory.addObservation({
      title: "Fixed the queue race",
      session: "b",
      at: someTime - 300 * day,
    });
    const weak = memory.addObservation({
      title: "Read a file",
      session: "c",
      narrative:
        "a queue of other things was in it as well, a long story about many files and what they hold",
      at: someTime + day,
    });
    const found = await search({ ...index, query: "queue race" });
    expect(found.observations.map((hit) => hit.id)).toEqual([recent.id, old.id, weak.id]);
  });
});

describe("the answer", () => {
  it("is a line per record in the index form, with its score", async () => {
    const kept = { title: "Drained the queue", obs_type: "bugfix" };
    const { id } = memory.addObservation({ ...kept, summary: "It is empty." });
    const found = await search({ ...index, query: "queue" });
    expect(found).toEqual({
      observations: [
        {
          ...{ ...kept, id, preview: "It is empty.", project: "app", created_at_epoch: someTime },
          ...{ rank: expect.any(Number), matched_by: ["words"] },
        },
      ],
      sessions: [],
      prompts: [],
      notes: [],
    });
  });

  it("marks statements, standing rules and routine work in the index form", async () => {
    const statement = { said_by: "user", standing: true, reach: "project", salience: 1 } as const;
    memory.addObservation({ title: "Never npm", statement });
    memory.addObservation({ title: "Ran npm", routine: true });
    const { observations } = await search({ ...index, query: "npm" });
    expect(
      observations.map(({ title, said_by, standing, routine }) => [title, said_by, standing, routine]),
    ).toEqual(
      expect.arrayContaining([
        ["Never npm", "user", 1, undefined],
        ["Ran npm", undefined, undefined, 1],
      ]),
    );
  });

  it("the full form is the whole record with parsed lists, without a score if no words", async () => {
    memory.addObservation({ facts: ["one", "two"], concepts: ["gotcha"], files_read: ["a.ts"] });
    const [hit] = (await search({ ...index, format: "full" })).observations;
    expect(hit).toMatchObject({
      facts: ["one", "two"],
      concepts: ["gotcha"],
      files_touched: ["a.ts"],
      generator: "local",
    });
    expect(hit).not.toHaveProperty("rank");
  });

  it("holds summaries as sessions and prompts beside the observations", async () => {
    const summary = memory.addSummary({ request: "Bound the cache", completed: "It has a limit of 1,000." });
    const prompt = memory.addPrompt("bound the cache\nplease");
    const found = await search({ ...index, query: "cache" });
    expect(found.sessions).toMatchObject([
      { id: summary.id, title: "It has a limit of 1,000.", preview: "Asked: Bound the cache" },
    ]);
    expect(found.prompts).toMatchObject([{ id: prompt.id, title: "bound the cache please" }]);
  });
});

it("a mode's own type does not match types that a word index would confuse with it", async () => {
  const types = ["note", "notes", "note-taking", "a-1", "a1", "taking"];
  for (const obs_type of types) memory.addObservation({ title: "queue", obs_type });
  for (const obs_type of types) {
    const found = (await search({ ...index, query: "queue", obs_type })).observations;
    expect(found.map((hit) => ("obs_type" in hit ? hit.obs_type : ""))).toEqual([obs_type]);
  }
});

describe("a filter that a kind does not have", () => {
  const rows = [
    ["obs_type", { obs_type: "change" }, 1, 0, 0],
    ["concepts", { concepts: ["gotcha"] }, 1, 1, 0],
    ["files", { files: ["a.ts"] }, 1, 1, 0],
    ["type observations", { type: "observations" }, 1, 0, 0],
    ["type sessions", { type: "sessions" }, 0, 1, 0],
    ["type prompts", { type: "prompts" }, 0, 0, 1],
    ["none", {}, 1, 1, 1],
  ] as const;
  it.each(rows)("leaves the kind empty: %s", async (_name, filter, observations, sessions, prompts) => {
    memory.addObservation({ title: "queue", concepts: ["gotcha"], files_read: ["a.ts"] });
    memory.addSummary({ request: "queue", concepts: ["gotcha"], files_read: ["a.ts"] });
    memory.addPrompt("queue");
    for (const query of [undefined, "queue"]) {
      const found = await search({ ...index, query, ...filter });
      expect([found.observations.length, found.sessions.length, found.prompts.length]).toEqual([
        observations,
        sessions,
        prompts,
      ]);
    }
  });
});

describe("a project", () => {
  it("never shows the records of another: 50 projects, a canary each, random requests", async () => {
    for (let n = 0; n < 50; n++) {
      const owner = { project: `project-${n}` };
      memory.addObservation({
        ...owner,
        title: `canary${n} shared`,
        files_read: ["a.ts"],
        concepts: ["gotcha"],
      });
      memory.addSummary({ ...owner, request: `canary${n} shared` });
      memory.addPrompt(`canary${n} shared`, owner);
    }
    const words = fc.oneof(
      fc.constantFrom("shared", "canary1 shared", "canar", "xp1 OR xp2", "scope", ""),
      fc.string({ unit: "binary" }),
      fc.nat(49).map((n) => `canary${n}`),
    );
    const request = fc.record(
      {
        query: words,
        files: fc.constantFrom(["a.ts"], ["%"], []),
        concepts: fc.constantFrom(["gotcha"], []),
        dateStart: fc.constantFrom(0, someTime),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(request, fc.nat(49), async (chosen, n) => {
        const project = `project-${n}`;
        const found = await search({ ...index, ...chosen, project });
        for (const hit of [...found.observations, ...found.sessions, ...found.prompts]) {
          expect(hit.project).toBe(project);
        }
      }),
      { numRuns: volume(1000) },
    );
  });

  it("that no record has is empty, not everything", async () => {
    memory.addObservation({});
    expect((await search({ ...index, project: "nowhere" })).observations).toEqual([]);
  });
});
