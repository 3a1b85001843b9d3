import { describe, expect, test } from "vitest";
import { createDevice } from "./device.ts";
import { createMemoryHub } from "./memory-hub.ts";
import { createMemoryStore } from "./memory-store.ts";

describe("another log and another device", () => {
  test("a new log gets own records again and deletes nothing", async () => {
    const hub = createMemoryHub();
    const [laptop, desktop] = [createDevice(hub.transport), createDevice(hub.transport, { nonce: "other" })];
    for (const { engine, store, time } of [laptop, desktop]) {
      for (let n = 0; n < 3; n += 1) store.write({ n });
      engine.start();
      await time.advance(0);
    }
    await laptop.engine.syncNow({ deadlineMs: 1_000 });
    expect(Object.keys(laptop.store.digest())).toHaveLength(6);
    hub.reset();
    for (const { engine } of [laptop, desktop, laptop]) {
      expect(await engine.syncNow({ deadlineMs: 1_000 })).toBe("done");
    }
    expect(laptop.store.digest()).toEqual(desktop.store.digest());
    expect(Object.keys(laptop.store.digest())).toHaveLength(6);
    expect(hub.ops().filter(({ kind }) => kind === "observation")).toHaveLength(6);
  });

  test.each([
    ["shorter than what a device has read", 0],
    ["longer again, with other operations", 4],
  ])("a hub that came back from a backup gets everything again; its log is %s", async (_log, more) => {
    const hub = createMemoryHub();
    const [laptop, desktop] = [createDevice(hub.transport), createDevice(hub.transport, { nonce: "other" })];
    const syncAll = async () => {
      for (const { engine } of [laptop, desktop, laptop, desktop])
        expect(await engine.syncNow({ deadlineMs: 1_000 })).toBe("done");
    };
    for (const { engine, store, time } of [laptop, desktop]) {
      store.write({ early: 1 });
      engine.start();
      await time.advance(0);
    }
    await syncAll();
    const backup = hub.ops().length;
    for (const { store } of [laptop, desktop]) store.write({ late: 1 });
    laptop.store.edit(0, { early: "edited" });
    await syncAll();
    const before = laptop.store.digest();
    hub.isDown = true;
    for (const { engine } of [laptop, desktop])
      expect(await engine.syncNow({ deadlineMs: 1_000 })).toBe("failed");
    hub.restore(backup);
    hub.isDown = false;
    const third = createDevice(hub.transport, { nonce: "third" });
    for (let n = 0; n < more; n += 1) third.store.write({ third: n });
    third.engine.start();
    await third.time.advance(0);
    await syncAll();
    await third.engine.syncNow({ deadlineMs: 1_000 });
    expect(laptop.store.digest()).toMatchObject(before);
    expect(Object.keys(laptop.store.digest())).toHaveLength(4 + more);
    expect(desktop.store.digest()).toEqual(laptop.store.digest());
    expect(third.store.digest()).toEqual(laptop.store.digest());
  });

  test("a log that is reset between pull and push is read before the push goes on", async () => {
    const hub = createMemoryHub();
    const { engine, store, time } = createDevice(hub.transport);
    engine.start();
    await time.advance(0);
    store.write({ n: 1 });
    hub.faults.push(() => hub.reset());
    expect(await engine.syncNow({ deadlineMs: 1_000 })).toBe("done");
    expect(store.state()).toMatchObject({ epoch: "epoch-2", cursor: "2" });
    expect(store.unsynced()).toEqual([]);
  });

  test("a copied data directory takes a new id and both devices go on", async () => {
    const hub = createMemoryHub();
    const laptop = createDevice(hub.transport);
    laptop.store.write({ n: 1 });
    laptop.engine.start();
    await laptop.time.advance(0);
    const { device_id } = laptop.store.state();
    const copy = createDevice(hub.transport, { nonce: "copy", store: laptop.store.copy() });
    copy.store.write({ n: "copy" });
    copy.store.edit(0, { n: 2 });
    copy.engine.start();
    await copy.time.advance(0);
    expect(copy.store.state().device_id).not.toBe(device_id);
    await laptop.engine.syncNow({ deadlineMs: 1_000 });
    expect(laptop.store.state().device_id).toBe(device_id);
    expect(laptop.store.digest()).toEqual(copy.store.digest());
    expect(Object.values(laptop.store.digest()).toSorted()).toEqual(['{"n":"copy"}', '{"n":2}']);
  });

  test("a device whose id another directory uses takes a new one and goes on", async () => {
    const hub = createMemoryHub();
    const [first, second] = [createDevice(hub.transport), createDevice(hub.transport, { nonce: "other" })];
    await first.store.adoptDevice("same-id", "nonce");
    await second.store.adoptDevice("same-id", "other");
    first.engine.start();
    await first.time.advance(0);
    second.store.write({ n: 1 });
    second.engine.start();
    await second.time.advance(0);
    expect(second.store.unsynced()).toEqual([]);
    expect(second.store.state().device_id).not.toBe("same-id");
    expect(hub.ops().at(-1)?.device).toBe(second.store.state().device_id);
  });

  test("a directory that moved to another machine takes a new id before it pushes", async () => {
    const hub = createMemoryHub();
    const store = createMemoryStore();
    await store.adoptDevice("old-id", "old-machine");
    const { engine, time } = createDevice(hub.transport, { store, nonce: "new-machine" });
    engine.start();
    await time.advance(0);
    expect(store.state()).toMatchObject({ nonce: "new-machine" });
    expect(store.state().device_id).not.toBe("old-id");
    expect(hub.ops().map(({ device }) => device)).toEqual([store.state().device_id]);
  });

  test("a hub that calls every id taken gets one new id, then a pause", async () => {
    const { exchange } = createMemoryHub().transport;
    const { engine, store, time } = createDevice({
      exchange: async (request, signal) => {
        if (request.method === "GET") return await exchange(request, signal);
        return { status: 409, retryAfterMs: undefined, json: '{"error":{"code":"device_conflict"}}' };
      },
      close: async () => undefined,
    });
    store.write({ n: 1 });
    const ids = new Set<string | undefined>();
    engine.start();
    for (let n = 0; n < 5; n += 1) {
      await time.advance(600_000);
      ids.add(store.state().device_id);
    }
    expect(ids.size).toBe(1);
    expect(engine.status()).toMatchObject({
      state: "backoff",
      lastError: "The hub refuses a new device id as taken.",
    });
  });

  test("a full account stops the device and is asked again after an hour", async () => {
    const hub = createMemoryHub();
    for (let n = 0; n < 64; n += 1) {
      const { engine, time } = createDevice(hub.transport, { nonce: `n-${n}` });
      engine.start();
      await time.advance(0);
      await engine.close();
    }
    const { engine, time } = createDevice(hub.transport);
    engine.start();
    await time.advance(0);
    expect(engine.status()).toMatchObject({ state: "stopped", reason: "device_limit" });
    const before = hub.requests.length;
    await time.advance(3_599_000);
    expect(hub.requests).toHaveLength(before);
    await time.advance(1_000);
    expect(hub.requests.length).toBeGreaterThan(before);
  });
});
