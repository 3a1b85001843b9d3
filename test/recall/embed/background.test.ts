import { describe, expect, onTestFinished, test } from "vitest";
import { systemClock as clock } from "../../../src/core/clock.ts";
import { createBackground } from "../../../src/recall/embed/background.ts";
import { type Embedder, EmbedFailure } from "../../../src/recall/embed/embedder.ts";
import { createVectors } from "../../../src/store/sqlite/vectors.ts";
import { workOn } from "../../../src/worker/vectors.ts";
import { wordVector } from "../../helpers/embedding-server.ts";
import { eventually } from "../../helpers/eventually.ts";
import { createMemoryStore } from "../../helpers/memory-store.ts";

interface Scripted extends Embedder {
  /** Texts of each call. */
  calls: string[][];
  /** Thrown by the next calls whose texts it is given, while it gives something. */
  fail: (texts: readonly string[]) => Error | undefined;
  dimension: number;
}

function scriptedEmbedder(model = "m"): Scripted {
  const embedder: Scripted = {
    identity: { embedder: "http", model },
    batch: 4,
    calls: [],
    fail: () => undefined,
    dimension: 16,
    async embed(texts) {
      embedder.calls.push([...texts]);
      const failure = embedder.fail(texts);
      if (failure !== undefined) throw failure;
      return texts.map((text) => Float32Array.from(wordVector(text, embedder.dimension)));
    },
    close: async () => undefined,
  };
  return embedder;
}

function open() {
  const memory = createMemoryStore();
  const vectors = createVectors(memory.db);
  const { commit } = memory.store;
  const failures: string[] = [];
  const background = (embedder: Embedder, quiet: () => Promise<void> = async () => undefined) => {
    const made = createBackground({
      embedder,
      clock,
      quiet,
      retryMs: 5,
      onFailure: (sentence) => failures.push(sentence),
      work: {
        ...workOn(vectors, memory.store, () => undefined),
        lacking: (setId, before) => vectors.lacking(setId, before, 3),
        dropSome: (setId) => commit(() => vectors.dropSome(setId, 2)),
      },
    });
    onTestFinished(() => made.close());
    return made;
  };
  onTestFinished(() => {
    if (memory.db.open) memory.store.flush();
  });
  const add = (...titles: string[]) => titles.map((title) => memory.addObservation({ title }));
  /** How many observations have a vector of each model. */
  const held = () =>
    Object.fromEntries(vectors.sets().map(({ id, model }) => [model, vectors.progress(id).done]));
  return { ...memory, vectors, failures, background, add, held };
}

const titlesOf = ({ calls }: Scripted) => calls.flat().map((text) => text.split("\n")[0]);

describe("what is embedded", () => {
  test("all that have no vector, newest first, in batches; then what is new", async () => {
    const { add, background, held, vectors } = open();
    add("a", "b", "c", "d", "e", "f");
    const embedder = scriptedEmbedder();
    const work = background(embedder);
    work.start();
    await eventually(() => expect(vectors.sets()).toMatchObject([{ complete: 1 }]));
    expect(titlesOf(embedder)).toEqual(["f", "e", "d", "c", "b", "a"]);
    expect(embedder.calls.map((texts) => texts.length)).toEqual([4, 2]);
    const [one] = add("g");
    work.notify([one?.id ?? 0]);
    await eventually(() => expect(held()).toEqual({ m: 7 }));
    expect(titlesOf(embedder).at(-1)).toBe("g");
  });

  test("a text that changed is embedded again, another change is not", async () => {
    const { add, background, held, db } = open();
    const [one, two] = add("a", "b");
    const embedder = scriptedEmbedder();
    const work = background(embedder);
    work.start();
    await eventually(() => expect(held()).toEqual({ m: 2 }));
    db.prepare("update observations set title = 'changed' where id = ?").run(one?.id);
    work.notify([one?.id ?? 0, two?.id ?? 0]);
    await eventually(() => expect(titlesOf(embedder)).toEqual(["b", "a", "changed"]));
    await eventually(() => expect(held()).toEqual({ m: 2 }));
  });

  test("a worker that starts again goes on where the last one was", async () => {
    const { add, background, held } = open();
    add("a", "b", "c", "d", "e", "f");
    const first = scriptedEmbedder();
    let turns = 0;
    let release: () => void = () => undefined;
    const busy = new Promise<void>((resolve) => {
      release = resolve;
    });
    // Gives way after the first call, until it is closed.
    const work = background(first, async () => (turns++ === 0 ? undefined : busy));
    work.start();
    await eventually(() => expect(held()).toEqual({ m: 4 }));
    const closed = work.close();
    release();
    await closed;
    expect(held()).toEqual({ m: 4 });
    const second = scriptedEmbedder();
    background(second).start();
    await eventually(() => expect(held()).toEqual({ m: 6 }));
    expect(titlesOf(second).length + titlesOf(first).length).toBeLessThanOrEqual(8);
  });

  test("it gives way while intake is busy", async () => {
    const { add, background } = open();
    add("a");
    let release: () => void = () => undefined;
    const busy = new Promise<void>((resolve) => {
      release = resolve;
    });
    const embedder = scriptedEmbedder();
    background(embedder, () => busy).start();
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(embedder.calls).toEqual([]);
    release();
    await eventually(() => expect(embedder.calls).toHaveLength(1));
  });
});

describe("another model", () => {
  test("the old vectors stay until the new ones are all there, and then go", async () => {
    const { add, background, held, vectors } = open();
    add("a", "b", "c", "d", "e");
    const old = background(scriptedEmbedder("old"));
    old.start();
    await eventually(() => expect(vectors.sets()).toMatchObject([{ model: "old", complete: 1 }]));
    await old.close();
    const embedder = scriptedEmbedder("new");
    embedder.fail = () => (embedder.calls.length > 1 ? new EmbedFailure("unavailable", "busy") : undefined);
    const work = background(embedder);
    work.start();
    await eventually(() => expect(work.failure()).toMatchObject({ message: "busy" }));
    embedder.fail = () => undefined;
    expect(held()).toEqual({ old: 5, new: 4 });
    expect(vectors.sets()).toMatchObject([{ complete: 1 }, { complete: 0 }]);
    await eventually(() => expect(held()).toEqual({ new: 5 }));
    expect(vectors.sets()).toMatchObject([{ model: "new", complete: 1 }]);
  });

  test("another dimension under the same name starts a new set", async () => {
    const { add, background, vectors } = open();
    add("a", "b", "c", "d", "e", "f");
    const embedder = scriptedEmbedder();
    embedder.fail = () => {
      if (embedder.calls.length === 2) embedder.dimension = 32;
      return undefined;
    };
    background(embedder).start();
    await eventually(() => expect(vectors.sets()).toMatchObject([{ dimension: 32, complete: 1 }]));
    const [set] = vectors.sets();
    expect(vectors.progress(set?.id ?? 0)).toEqual({ done: 6, total: 6 });
  });
});

describe("a dimension that comes back", () => {
  test("is the set that was there, and nothing is asked for twice without end", async () => {
    const { add, background, vectors } = open();
    add("a", "b", "c", "d", "e", "f", "g", "h", "i");
    const embedder = scriptedEmbedder();
    embedder.fail = () => {
      embedder.dimension = embedder.calls.length === 2 ? 32 : 16;
      return undefined;
    };
    background(embedder).start();
    await eventually(() => expect(vectors.sets()).toMatchObject([{ dimension: 16, complete: 1 }]));
    expect(vectors.progress(vectors.sets()[0]?.id ?? 0)).toEqual({ done: 9, total: 9 });
    expect(embedder.calls.length).toBeLessThan(9);
  });
});

describe("failures", () => {
  test("an embedder that fails is asked again later, and said to fail once", async () => {
    const { add, background, held, failures } = open();
    add("a");
    const embedder = scriptedEmbedder();
    embedder.fail = () => new EmbedFailure("unavailable", "The server is down.");
    const work = background(embedder);
    work.start();
    await eventually(() => expect(work.failure()?.kind).toBe("unavailable"));
    embedder.fail = () => undefined;
    await eventually(() => expect(held()).toEqual({ m: 1 }));
    await eventually(() => expect(work.failure()).toBeNull());
    expect(failures).toEqual(["embedding is paused: The server is down."]);
  });

  test("reports a failure that the user has to fix with the next step", async () => {
    const { add, background } = open();
    add("a");
    const embedder = scriptedEmbedder();
    embedder.fail = () => new EmbedFailure("setup", "No key.", { hint: "set one" });
    const work = background(embedder);
    work.start();
    await eventually(() =>
      expect(work.failure()).toEqual({ kind: "setup", message: "No key.", next: "set one" }),
    );
  });

  test("retries a refused text alone and shortened; other texts get their vectors", async () => {
    const { addObservation, background, held, failures } = open();
    addObservation({ title: "fine" });
    addObservation({ title: "long", narrative: "word ".repeat(500) });
    const never = addObservation({ title: "never" });
    addObservation({ title: "fine too" });
    const embedder = scriptedEmbedder();
    embedder.fail = (texts) =>
      texts.some((text) => text.length > 1_000 || text.startsWith("never"))
        ? new EmbedFailure("refused", "too long")
        : undefined;
    const work = background(embedder);
    work.start();
    await eventually(() => expect(held()).toEqual({ m: 3 }));
    await eventually(() => expect(failures).toEqual([`observation ${never.id} has no vector: too long`]));
    expect(work.failure()).toBeNull();
    expect([...work.refused()]).toEqual([[never.id, "too long"]]);
  });

  test("an embedder that refuses every text is asked again for all of them", async () => {
    const { add, background, held } = open();
    add("a", "b", "c");
    const embedder = scriptedEmbedder();
    embedder.fail = () => new EmbedFailure("refused", "no such model");
    const work = background(embedder);
    work.start();
    await eventually(() => expect(work.failure()?.message).toBe("no such model"));
    expect(work.refused().size).toBe(0);
    embedder.fail = () => undefined;
    await eventually(() => expect(held()).toEqual({ m: 3 }));
  });
});
