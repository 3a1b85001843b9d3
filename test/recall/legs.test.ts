// What else than its own words brings a record into an answer, and what is said of it.
import { describe, expect, it } from "vitest";
import { createSearch } from "../../src/recall/search.ts";
import type { VectorAnswer } from "../../src/recall/search-port.ts";
import { eachMemorySearch, memorySearchPort } from "../helpers/memory-search.ts";
import { someTime } from "../helpers/memory-store.ts";

const index = { format: "index", limit: 20 } as const;

const { memory, search } = eachMemorySearch();

const idsOf = async (query: string, request = {}) =>
  (await search({ ...index, query, ...request })).observations.map((hit) => hit.id);

describe("neighbours", () => {
  it("lift the record that shares a word between those that hold the rest", async () => {
    memory.addObservation({ title: "adoption agencies were compared", session: "a" });
    const answer = memory.addObservation({ title: "Caroline chose the second", session: "a" });
    const alone = memory.addObservation({ title: "Caroline slept", session: "b" });
    for (let n = 0; n < 9; n++) memory.addObservation({ title: "nothing here", session: `c${n}` });
    const { observations } = await search({ ...index, query: "Caroline adoption agencies" });
    const ids = observations.map((hit) => hit.id);
    expect(ids.indexOf(answer.id)).toBeLessThan(ids.indexOf(alone.id));
    expect(observations.find((hit) => hit.id === answer.id)?.matched_by).toEqual(["words", "neighbours"]);
    expect(observations.find((hit) => hit.id === alone.id)?.matched_by).toEqual(["words"]);
  });

  it("are no answers themselves when they share no word", async () => {
    memory.addObservation({ title: "before" });
    const { id } = memory.addObservation({ title: "the kubernetes deadline" });
    memory.addObservation({ title: "after" });
    expect(await idsOf("kubernetes")).toEqual([id]);
  });
});

describe("parts of words", () => {
  it("are found within words when no word begins with them", async () => {
    const { id } = memory.addObservation({ title: "Wrote loadappconfig" });
    memory.addSummary({ request: "Rewrite loadappconfig" });
    const found = await search({ ...index, query: "appconf" });
    expect(found.observations.map((hit) => [hit.id, hit.matched_by])).toEqual([[id, ["parts"]]]);
    expect(found.sessions).toHaveLength(1);
    expect(await idsOf("appconf", { project: "other" })).toEqual([]);
    expect(await idsOf("appconf", { dateStart: someTime + 1 })).toEqual([]);
  });

  it("of one and two characters are found in scripts without spaces, exactly", async () => {
    const login = memory.addObservation({ title: "修复登录重定向" });
    const other = memory.addObservation({ title: "修复缓存", session: "other" });
    expect(await idsOf("登")).toEqual([login.id]);
    expect(await idsOf("登录")).toEqual([login.id]);
    expect(await idsOf("缓")).toEqual([other.id]);
    expect(await idsOf("录登")).toEqual([]);
    expect(await idsOf("登录为什么失败了")).toEqual([login.id]);
  });
});

describe("vectors", () => {
  const leg = (answer: VectorAnswer) => ({ nearest: async () => answer });
  const near = (hits: { id: number; similarity: number }[]): VectorAnswer => ({ state: "ok", hits });

  it("bring in what no word finds, and say so", async () => {
    const worded = memory.addObservation({ title: "Fixed the redirect", session: "a" });
    const meant = memory.addObservation({ title: "Sign-in goes back again", session: "b" });
    const vectors = leg(near([{ id: meant.id, similarity: 0.9 }]));
    const { observations, notes } = await createSearch({ ...memorySearchPort(memory), vectors }).search({
      ...index,
      query: "redirect",
    });
    expect(observations.map((hit) => [hit.id, hit.matched_by])).toEqual([
      [worded.id, ["words"]],
      [meant.id, ["vectors"]],
    ]);
    expect(notes).toEqual([]);
  });

  it("obey the filters", async () => {
    const foreign = memory.addObservation({ title: "Sign-in", project: "other" });
    memory.addObservation({ title: "Fixed the redirect" });
    const vectors = leg(near([{ id: foreign.id, similarity: 1 }]));
    const { observations } = await createSearch({ ...memorySearchPort(memory), vectors }).search({
      ...index,
      query: "redirect",
      project: "app",
    });
    expect(observations.map((hit) => hit.project)).toEqual(["app"]);
  });

  it("do not hide that the words are in no record: their parts come first", async () => {
    const part = memory.addObservation({ title: "Wrote loadappconfig" });
    const vectors = leg(near([{ id: part.id, similarity: 0.1 }]));
    const { observations } = await createSearch({ ...memorySearchPort(memory), vectors }).search({
      ...index,
      query: "appconf",
    });
    expect(observations.map((hit) => hit.matched_by)).toEqual([["parts"]]);
  });

  it("that are not available leave a note, that are off leave none", async () => {
    memory.addObservation({ title: "Fixed the redirect" });
    const ask = async (answer: VectorAnswer) =>
      createSearch({ ...memorySearchPort(memory), vectors: leg(answer) }).search({
        ...index,
        query: "redirect",
      });
    const lacking = await ask({ state: "unavailable", reason: "the model is loading" });
    expect(lacking.notes).toEqual([expect.stringContaining("the model is loading")]);
    expect(lacking.observations).toHaveLength(1);
    expect((await ask({ state: "off" })).notes).toEqual([]);
  });
});

describe("what the user says of a record", () => {
  it("removes a rejected record and ranks a superseded one after its like", async () => {
    const old = memory.addObservation({ title: "The port is 8080", session: "a" });
    const now = memory.addObservation({ title: "The port is 8080", session: "b", at: someTime - 9e9 });
    const wrong = memory.addObservation({ title: "The port is 9", session: "c" });
    const set = memory.db.prepare("update observations set status = ? where id = ?");
    set.run("superseded", old.id);
    set.run("rejected", wrong.id);
    expect(await idsOf("port")).toEqual([now.id, old.id]);
    expect(await idsOf("")).not.toContain(wrong.id);
    expect(await idsOf("9")).toEqual([]);
  });
});
