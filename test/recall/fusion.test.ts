import { beforeEach, describe, expect, it } from "vitest";
import { fuse, type Signals, signalsOf, signalWeights } from "../../src/recall/fusion.ts";
import { gatherCandidates } from "../../src/recall/rank-observations.ts";
import { memorySearchPort } from "../helpers/memory-search.ts";
import { eachMemoryStore, someTime } from "../helpers/memory-store.ts";

const day = 24 * 60 * 60 * 1000;
const filter = { project: null, obs_type: null, concepts: [], files: [], dateStart: null, dateEnd: null };

const memory = eachMemoryStore();
beforeEach(() => {
  for (let n = 0; n < 20; n++) memory.addObservation({ title: "nothing of it", session: `filler ${n}` });
});

const gather = (words: string) =>
  gatherCandidates(memorySearchPort(memory).observations, {
    words,
    filter,
    scope: [],
    vectors: { state: "off" },
  });

function signalsFor(words: string, id: number): Signals {
  const gathered = gather(words);
  const index = gathered.candidates.findIndex((candidate) => candidate.id === id);
  const signals = signalsOf(gathered)[index];
  if (signals === undefined) throw new Error(`${id} is no candidate`);
  return signals;
}

describe("the signals of a candidate", () => {
  it("say which share of the question it holds, and where", () => {
    const { id } = memory.addObservation({
      title: "Fixed the login redirect",
      narrative: "It lost its query",
      files_modified: ["src/auth/login.ts"],
    });
    const { fullText, coverage, files, titleShare, close, lead } = signalsFor("login redirect", id);
    expect([fullText, coverage, close, lead]).toEqual([1, 1, 1, 1]);
    expect(files).toBeCloseTo(0.5, 1);
    expect(titleShare).toBe(0.5);
  });

  it("tell words that stand together from the same words far apart", () => {
    const apart = `login ${"story ".repeat(40)} redirect`;
    const together = memory.addObservation({ narrative: "the login redirect", session: "a" });
    const scattered = memory.addObservation({ narrative: apart, session: "b" });
    const near = signalsFor("login redirect", together.id);
    const far = signalsFor("login redirect", scattered.id);
    expect([near.coverage, far.coverage]).toEqual([1, 1]);
    expect(near.close).toBeGreaterThan(far.close);
    expect(near.passage).toBeGreaterThan(far.passage);
  });

  it("count a word that only begins like the one that was asked for", () => {
    const { id } = memory.addObservation({ title: "the dict of the queue" });
    const { coverage, beginnings } = signalsFor("dictionary queue", id);
    expect(coverage + beginnings).toBeCloseTo(1);
    expect(beginnings).toBeGreaterThan(0);
  });

  it("count it half where it stands among the others", () => {
    const { id } = memory.addObservation({ title: "the dict of the queue" });
    const { coverage, beginnings, close, lead } = signalsFor("dictionary queue", id);
    expect(close).toBeCloseTo(coverage + beginnings / 2);
    expect(lead).toBeCloseTo(close);
  });

  it("count a term once where a word that begins like it stands beside it", () => {
    const { id } = memory.addObservation({ title: "dict dictionary dict" });
    const { coverage, close, lead } = signalsFor("dictionary queue", id);
    expect([close, lead]).toEqual([coverage, coverage]);
  });

  it("hold what those beside it add to the question", () => {
    memory.addObservation({ title: "adoption", session: "a" });
    const { id } = memory.addObservation({ title: "queue", session: "a" });
    const signals = signalsFor("adoption queue", id);
    expect(signals.neighbours).toBeCloseTo(0.5, 1);
    expect(signals.previous).toBeGreaterThan(0);
    expect(signals.beforeThat).toBe(0);
  });

  it("count age from the newest candidate, so that time does not change the order", () => {
    const old = memory.addObservation({ title: "queue", session: "a", at: someTime - 30 * day });
    memory.addObservation({ title: "queue", session: "b", at: someTime });
    expect(signalsFor("queue", old.id).age).toBe(1);
  });

  it("say how near it was made to a date that the question names", () => {
    const { id } = memory.addObservation({ title: "queue", session: "a", at: Date.UTC(2026, 2, 3, 12) });
    const later = memory.addObservation({ title: "queue", session: "b", at: Date.UTC(2026, 3, 3) });
    expect(signalsFor("queue on 3 March 2026", id).date).toBe(1);
    expect(signalsFor("queue on 3 March 2026", later.id).date).toBeLessThan(0.2);
    expect(signalsFor("queue", id).date).toBe(0);
  });
});

describe("the order", () => {
  it("is that of the weighted signals, a superseded record behind its like", () => {
    const first = memory.addObservation({ title: "queue race", session: "a" });
    const second = memory.addObservation({ title: "queue race", session: "b" });
    memory.db.prepare("update observations set status = 'superseded' where id = ?").run(second.id);
    const gathered = gather("queue race");
    const order = fuse({ ...gathered, byMeaning: new Map() });
    expect(order.map(({ id }) => id)).toEqual([first.id, second.id]);
    const names = Object.keys(signalWeights) as (keyof Signals)[];
    const [best] = order;
    const sum = names.reduce((total, name) => total + signalWeights[name] * (best?.signals[name] ?? 0), 0);
    expect(best?.score).toBeCloseTo(sum);
  });

  it("weighs every signal that has a weight", () => {
    const at = Date.UTC(2026, 2, 3, 12);
    const { id } = memory.addObservation({
      title: "queue racer queue",
      facts: ["the queue"],
      session: "a",
      at,
    });
    memory.addObservation({ title: "queue of race", session: "a", at: at + day });
    memory.addObservation({ title: "queue", session: "b", at: at + 30 * day });
    const gathered = gather("queue race on 3 March 2026");
    const hit = fuse({ ...gathered, byMeaning: new Map() }).find((each) => each.id === id);
    const names = Object.keys(signalWeights) as (keyof Signals)[];
    const shown = names.filter((name) => hit?.signals[name] !== 0);
    expect(shown).toEqual(expect.arrayContaining(["date", "age", "coverage", "beginnings"]));
    const sum = names.reduce((total, name) => total + signalWeights[name] * (hit?.signals[name] ?? 0), 0);
    expect(hit?.score).toBeCloseTo(sum);
  });

  it("of a question without a word that says something is that of the full text", () => {
    const { id } = memory.addObservation({ title: "to be or not to be" });
    const gathered = gather("to be or not");
    expect(gathered.question).toBeNull();
    expect(fuse({ ...gathered, byMeaning: new Map() }).map((hit) => hit.id)).toContain(id);
  });
});
