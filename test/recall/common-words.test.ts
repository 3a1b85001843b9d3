// Words that stand in very many records: what a search finds is the same as if all of them were looked for.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { projectToken, typeToken } from "../../src/core/records/scope-token.ts";
import type { RecordFilter, Scored } from "../../src/core/records/search.ts";
import { bestOfSplit, splitWords } from "../../src/recall/common-words.ts";
import { buildMatch } from "../../src/recall/query.ts";
import { observationColumns } from "../../src/recall/rank-observations.ts";
import { createSearch } from "../../src/recall/search.ts";
import { createDerivedRows } from "../../src/store/sqlite/derived-rows.ts";
import { anything, memorySearchPort } from "../helpers/memory-search.ts";
import { createMemoryStore, type MemoryStore, someTime } from "../helpers/memory-store.ts";
import { volume } from "../helpers/volume.ts";

const limit = 40;
const records = 3_000;
// Word n is in about one record of 1.3 + n / 5.
const vocabulary = Array.from(
  { length: 60 },
  (_, n) => `${"bcdfgklmnp"[n % 10]}a${"rstvz"[n % 5]}o${"klmnpr"[Math.floor(n / 10)]}`,
);

let memory: MemoryStore;
let random: () => number;

beforeAll(() => {
  memory = createMemoryStore();
  random = createRandom(1);
  memory.db.transaction(() => {
    for (let n = 0; n < records; n++) addRecord(n);
  })();
});
afterAll(() => memory.close());

describe("the best of common and rarer words", () => {
  it("are those that one match of all words finds, with their scores", () => {
    const asked = questions(volume(60, 24));
    expect(asked.filter((words) => isSame(words)).length).toBeGreaterThan(asked.length / 3);
  });

  it("are the same where no word is rare", () => {
    expect(isSame(vocabulary.slice(0, 2).join(" "))).toBe(true);
    expect(isSame(vocabulary.slice(0, 4).join(" "))).toBe(true);
    expect(isSame(`${vocabulary[0]} ${vocabulary[0]}s`)).toBe(true);
  });

  it("are the same inside a project, a type, a time and a concept", () => {
    const project = [projectToken(memory.store.projects.find("large") ?? 0)];
    const later = { dateStart: someTime + 100_000, dateEnd: someTime + 2_000_000 };
    const asked = questions(volume(30, 12));
    const splits = asked.filter((words) => {
      isSame(words, { concepts: ["odd"] });
      isSame(words, { concepts: ["none"] });
      isSame(words, {}, [typeToken("bugfix")]);
      isSame(words, later);
      return isSame(words, { project: "large" }, project);
    });
    expect(splits.length).toBeGreaterThan(asked.length / 6);
  });

  it("are the same beside a phrase, a path and another script", () => {
    for (const words of questions(volume(8, 3))) {
      isSame(`${words} ${vocabulary[0]}-${vocabulary[1]}`);
      isSame(`${words} src/${vocabulary[2]}/index.ts`);
      isSame(`${words} 登录重定向 zürich 42`);
    }
  });

  it("are looked for in one match where the store is small", () => {
    const small = createMemoryStore();
    for (let n = 0; n < 20; n++) small.addObservation({ title: "the same words", session: `s${n}` });
    expect(splitOf("same words", small)).toBeNull();
    small.close();
  });
});

describe("a search for common words", () => {
  it("finds an old record that holds two of them alone among thousands that hold one", async () => {
    const { id } = memory.addObservation({
      ...{ title: "Deploy needs the token", session: "old", at: someTime - 1e9, project: "large" },
    });
    expect(splitOf("deploy token", memory)?.common).toHaveLength(1);
    const search = createSearch(memorySearchPort(memory)).search;
    const { observations } = await search({ format: "index", limit: 5, query: "deploy token" });
    expect(observations[0]?.id).toBe(id);
  });

  it("shows what a page of one match would, page after page", async () => {
    const search = createSearch(memorySearchPort(memory)).search;
    const query = `${vocabulary[0]} ${vocabulary[30]}`;
    const ids: number[] = [];
    for (let offset = 0; offset < 300; offset += 50) {
      const { observations } = await search({ format: "index", limit: 50, offset, query });
      ids.push(...observations.map(({ id }) => id));
    }
    expect(new Set(ids).size).toBe(300);
  });
});

describe("counts that change", () => {
  it("are current: with a third of the records gone, the best stay the same", () => {
    const rows = createDerivedRows(memory.db);
    memory.db.transaction(() => {
      for (let id = 3; id <= records; id += 3) {
        rows.drop("observations", id);
        memory.db.prepare("delete from observations where id = ?").run(id);
      }
    })();
    const asked = questions(volume(40, 12));
    expect(asked.filter((words) => isSame(words)).length).toBeGreaterThan(asked.length / 8);
  });
});

/** Compares with one match of all words; true when some words were common. */
function isSame(words: string, some: Partial<RecordFilter> = {}, scope: readonly string[] = []): boolean {
  const filter = { ...anything, ...some };
  const port = memorySearchPort(memory).observations;
  const split = splitOf(words, memory, filter, scope);
  const match = buildMatch(words, observationColumns, scope);
  if (split === null || match === null) return false;
  const asked = { words, filter, columns: observationColumns, scope, population: 0 };
  const found = bestOfSplit(port, { ...asked, split, limit });
  const whole = port.scores(match, filter, limit);
  expect(found.map(rounded), words).toEqual(whole.map(rounded));
  expect(aheadOf(found), words).toEqual(aheadOf(whole));
  return split.common.length > 0;
}

// The sum of a score depends on the order of its parts in the last digits, and with it the order of what is equal.
function rounded({ score }: Scored): string {
  return score.toPrecision(9);
}

/** What is better than the last. */
function aheadOf(scored: readonly Scored[]): number[] {
  const last = scored.at(-1);
  const ahead = scored.filter((one) => last !== undefined && rounded(one) !== rounded(last));
  return ahead.map(({ id }) => id).sort((a, b) => a - b);
}

function splitOf(
  words: string,
  { db, store }: MemoryStore,
  filter = anything,
  scope: readonly string[] = [],
) {
  const port = memorySearchPort({ db, store } as MemoryStore).observations;
  const population = port.population(filter.project);
  return splitWords(port, { words, filter, columns: observationColumns, scope, population });
}

function addRecord(n: number): void {
  const held = vocabulary.filter((_, rank) => random() < 1 / (1.3 + rank / 5));
  const text = held.flatMap((word) => (random() < 0.3 ? [word, "and", word] : [word])).join(" ");
  memory.addObservation({
    title: `${n % 7 === 0 ? held.slice(0, 2).join(" ") : "Note"} ${n}`,
    subtitle: n % 2 === 0 ? "Deploy went out" : "A token came",
    narrative: text,
    facts: n % 5 === 0 ? held.slice(-2) : [],
    files_modified: n % 11 === 0 ? [`src/${held[0] ?? "none"}/index.ts`] : [],
    concepts: n % 50 === 1 ? ["odd"] : [],
    obs_type: n % 3 === 0 ? "bugfix" : "change",
    project: n % 4 === 0 ? "small" : "large",
    session: `session ${n}`,
    at: someTime + n * 1_000,
  });
}

function questions(count: number): string[] {
  const pick = createRandom(5);
  return Array.from({ length: count }, () =>
    Array.from({ length: 2 + Math.floor(pick() * 5) }, () => vocabulary[Math.floor(60 * pick() ** 2)]).join(
      " ",
    ),
  );
}

function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
