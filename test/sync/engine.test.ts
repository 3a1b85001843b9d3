import { describe, expect, test } from "vitest";
import { syncTimes } from "../../src/sync/engine.ts";
import { createDevice } from "./device.ts";
import { createMemoryHub } from "./memory-hub.ts";

const pushes = (requests: readonly string[]) => requests.filter((each) => each.startsWith("POST"));
const pulls = (requests: readonly string[]) => requests.filter((each) => each.startsWith("GET"));

describe("sync of two devices", () => {
  test("a record of one device is on the other after a pull", async () => {
    const hub = createMemoryHub();
    const [laptop, desktop] = [createDevice(hub.transport), createDevice(hub.transport)];
    laptop.engine.start();
    await laptop.time.advance(0);
    laptop.store.write({ title: "a" });
    laptop.engine.written();
    await laptop.time.advance(syncTimes.debounceMs);
    desktop.engine.start();
    expect(await desktop.engine.pullNow({ deadlineMs: 1_500 })).toBe("done");
    expect(Object.values(desktop.store.digest())).toEqual(['{"title":"a"}']);
    expect(desktop.store.digest()).toEqual(laptop.store.digest());
    expect(laptop.engine.status()).toMatchObject({
      state: "idle",
      lastError: null,
      pending: { observations: 0 },
    });
  });

  test("the first contact adopts the log and queues nothing again", async () => {
    const hub = createMemoryHub();
    const { engine, store, time } = createDevice(hub.transport);
    store.write({ n: 1 });
    engine.start();
    await time.advance(0);
    expect(store.unsynced()).toEqual([]);
    expect(store.state()).toMatchObject({ epoch: "epoch-1", cursor: "2" });
    // The pull that finds the log, the notice of the account's mode, the record.
    expect(hub.requests).toHaveLength(3);
  });

  test("a hub answers a probe also when a pause cut a run off", async () => {
    const hub = createMemoryHub();
    const { engine, time } = createDevice(hub.transport);
    engine.start();
    await engine.pause();
    await time.advance(0);
    expect(await engine.probe()).toMatchObject({ reachable: true });
    await engine.close();
    expect(await engine.probe()).toMatchObject({ reachable: false });
  });

  test("own records are not downloaded again", async () => {
    const hub = createMemoryHub();
    const { engine, store, time } = createDevice(hub.transport);
    for (let n = 0; n < 1_200; n += 1) store.write({ n });
    engine.start();
    await time.advance(0);
    expect(store.unsynced()).toEqual([]);
    expect(pushes(hub.requests)).toHaveLength(4);
    expect(pulls(hub.requests)).toHaveLength(1);
    expect(await engine.pullNow({ deadlineMs: 1_500 })).toBe("done");
    expect(pulls(hub.requests).at(-1)).toBe("GET /v1/sync/changes?since=1201&limit=500");
  });
});

describe("changes while a push is in flight", () => {
  test("a record that was edited is not stamped, and its next revision follows", async () => {
    const hub = createMemoryHub();
    const { engine, store, time } = createDevice(hub.transport);
    engine.start();
    await time.advance(0);
    store.write({ n: "first" });
    store.write({ n: "other" });
    let during: string[] = [];
    hub.faults.push(() => {
      store.edit(0, { n: "second" });
      during = store.unsynced();
    });
    expect(await engine.syncNow({ deadlineMs: 1_000 })).toBe("done");
    expect(during).toHaveLength(2);
    // The pull had the first fault: the edit came before the push. Now it comes during one.
    store.edit(1, { n: "third" });
    hub.faults.push(undefined, () => {
      store.edit(1, { n: "fourth" });
      engine.written();
    });
    const syncing = engine.syncNow({ deadlineMs: 10_000 });
    await time.advance(syncTimes.debounceMs);
    expect(await syncing).toBe("done");
    expect(store.unsynced()).toEqual([]);
    const payloads = hub.ops().map(({ body }) => JSON.parse(body).payload.n);
    expect(payloads.slice(1)).toEqual(["second", "other", "third", "fourth"]);
  });

  test("a record that was deleted is deleted on the hub", async () => {
    const hub = createMemoryHub();
    const { engine, store, time } = createDevice(hub.transport);
    engine.start();
    await time.advance(0);
    store.write({ n: 1 });
    hub.faults.push(undefined, () => store.remove(0));
    await engine.syncNow({ deadlineMs: 1_000 });
    expect(store.unsynced()).toEqual([]);
    expect(hub.ops().at(-1)).toMatchObject({ kind: "observation", deleted: true, revision: "1" });
  });

  test("an answer that is lost leaves a replay with the same bytes", async () => {
    const hub = createMemoryHub();
    const { engine, store, time } = createDevice(hub.transport);
    engine.start();
    await time.advance(0);
    store.write({ n: 1 });
    hub.faults.push(undefined, "lose_answer");
    expect(await engine.syncNow({ deadlineMs: 1_000 })).toBe("failed");
    expect(store.unsynced()).toHaveLength(1);
    const sent = hub.bodies.at(-1);
    expect(await engine.syncNow({ deadlineMs: 1_000 })).toBe("done");
    expect(hub.bodies.at(-1)).toBe(sent);
    expect(store.unsynced()).toEqual([]);
    expect(hub.ops()).toHaveLength(2);
  });
});

describe("pause and close", () => {
  test("a paused device sends nothing until it is resumed, also after a restart", async () => {
    const hub = createMemoryHub();
    const { engine, store, time } = createDevice(hub.transport);
    engine.start();
    await time.advance(0);
    await engine.pause();
    store.write({ n: 1 });
    engine.written();
    const before = hub.requests.length;
    expect(await engine.pullNow({ deadlineMs: 1_500 })).toBe("off");
    await time.advance(86_400_000);
    await engine.close();
    const again = createDevice(hub.transport, { store });
    again.engine.start();
    await again.time.advance(86_400_000);
    expect(hub.requests).toHaveLength(before);
    await again.engine.resume();
    await again.time.advance(0);
    expect(store.unsynced()).toEqual([]);
  });

  test("close ends a request that hangs, and leaves no timer", async () => {
    const ended: boolean[] = [];
    const { engine, time } = createDevice({
      exchange: (_request, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            ended.push(true);
            reject(new Error("aborted"));
          });
        }),
      close: async () => undefined,
    });
    engine.start();
    const waiting = engine.pullNow({ deadlineMs: 1_500 });
    await time.advance(0);
    await engine.close();
    expect(await waiting).toBe("failed");
    expect(ended).toEqual([true]);
    expect(time.waiting()).toEqual([]);
    expect(engine.status()).toMatchObject({ state: "off", lastError: null });
  });

  test("close does not wait for a request that ignores its end", async () => {
    const { engine, time } = createDevice({
      exchange: () => new Promise(() => undefined),
      close: async () => undefined,
    });
    engine.start();
    await time.advance(0);
    const closing = engine.close();
    await time.advance(1_000);
    await closing;
    expect(engine.status().state).toBe("off");
  });

  test("a store that fails is retried, and nothing is lost", async () => {
    const hub = createMemoryHub();
    const [laptop, desktop] = [createDevice(hub.transport), createDevice(hub.transport)];
    laptop.store.write({ n: 1 });
    laptop.store.breakNext("stamp");
    laptop.engine.start();
    await laptop.time.advance(0);
    expect(laptop.engine.status()).toMatchObject({ state: "backoff", lastError: "Internal error." });
    await laptop.time.advance(60_000);
    desktop.store.breakNext("apply");
    desktop.engine.start();
    await desktop.time.advance(60_000);
    expect(desktop.store.digest()).toEqual(laptop.store.digest());
    expect(laptop.store.unsynced()).toEqual([]);
  });
});

describe("progress", () => {
  test("of a first sync grows to its total in both directions", async () => {
    const hub = createMemoryHub();
    const seen: string[] = [];
    const laptop = createDevice(hub.transport);
    for (let n = 0; n < 1_600; n += 1) laptop.store.write({ n });
    const track = (device: typeof laptop) => {
      const { exchange } = hub.transport;
      hub.transport.exchange = async (request, signal) => {
        const { progress } = device.engine.status();
        if (progress !== null) seen.push(`${progress.direction} ${progress.done}/${progress.total}`);
        return await exchange(request, signal);
      };
    };
    track(laptop);
    laptop.engine.start();
    await laptop.time.advance(0);
    expect(seen).toEqual(["push 500/1600", "push 1000/1600", "push 1500/1600"]);
    expect(laptop.engine.status().progress).toBeNull();
    const desktop = createDevice(hub.transport, { nonce: "other" });
    seen.length = 0;
    track(desktop);
    desktop.engine.start();
    await desktop.time.advance(0);
    expect(seen).toEqual(["pull 500/1601", "pull 1000/1601", "pull 1500/1601"]);
    expect(desktop.engine.status().progress).toBeNull();
  });

  test("of a first push counts what waits at its start and at its end", async () => {
    const laptop = createDevice(createMemoryHub().transport);
    for (let n = 0; n < 1_600; n += 1) laptop.store.write({ n });
    const { pending } = laptop.store;
    let counts = 0;
    laptop.store.pending = () => {
      counts += 1;
      return pending();
    };
    laptop.engine.start();
    await laptop.time.advance(0);
    expect(counts).toBe(2);
  });

  test("of a first pull lets others work: a page is not one transaction", async () => {
    const hub = createMemoryHub();
    const laptop = createDevice(hub.transport);
    for (let n = 0; n < 300; n += 1) laptop.store.write({ n });
    laptop.engine.start();
    await laptop.time.advance(0);
    const desktop = createDevice(hub.transport, { nonce: "other" });
    const { apply } = desktop.store;
    const sizes: number[] = [];
    desktop.store.apply = async (page) => {
      sizes.push(page.ops.length);
      return await apply(page);
    };
    desktop.engine.start();
    await desktop.time.advance(0);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(300);
    expect(Math.max(...sizes)).toBeLessThan(50);
  });
});
