// Routine work in a search: found, and behind everything else.
import { expect, it } from "vitest";
import { createSearch } from "../../src/recall/search.ts";
import { memorySearchPort } from "../helpers/memory-search.ts";
import { eachMemoryStore } from "../helpers/memory-store.ts";

const memory = eachMemoryStore();

async function found(query: string, limit = 20): Promise<string[]> {
  const search = createSearch(memorySearchPort(memory));
  const { observations } = await search.search({ query, format: "index", limit });
  return observations.map(({ title }) => title);
}

it("stands behind a record that holds fewer of the words", async () => {
  memory.addObservation({ title: "Read the lease of the queue", routine: true, session: "a" });
  memory.addObservation({ title: "Never trust a lease", session: "b" });
  expect(await found("lease queue")).toEqual(["Never trust a lease", "Read the lease of the queue"]);
});

it("goes back as soon as it is marked", async () => {
  const { id } = memory.addObservation({ title: "Edited the lease", sources: [7], session: "a" });
  memory.addObservation({ title: "Something of a lease and much else", session: "b" });
  expect((await found("lease"))[0]).toBe("Edited the lease");
  expect(memory.store.statements.markSettled([7]).map((one) => one.id)).toEqual([id]);
  expect((await found("lease"))[1]).toBe("Edited the lease");
});

it("does not keep out what lasts, however many routine records match better", async () => {
  memory.addObservation({
    title: "A lease ends early",
    narrative: "The clock of the second machine was behind. ".repeat(20),
    session: "a",
  });
  for (let n = 0; n < 140; n++)
    memory.addObservation({ title: "Read lease", routine: true, session: `r${n}` });
  expect((await found("lease", 5))[0]).toBe("A lease ends early");
});

it("stands behind others that hold only beginnings of the words", async () => {
  memory.addObservation({ title: "The leaseholder module fails" });
  memory.addObservation({ title: "Read leaseholder.ts", routine: true });
  expect(await found("leasehol")).toEqual(["The leaseholder module fails", "Read leaseholder.ts"]);
});
