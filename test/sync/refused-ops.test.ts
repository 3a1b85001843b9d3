import { describe, expect, test } from "vitest";
import { scryptCost } from "../../src/sync/account-key.ts";
import { createRing, rotateRing } from "../../src/sync/key-ring.ts";
import { createDevice } from "./device.ts";
import { createMemoryHub } from "./memory-hub.ts";

describe("what the hub refuses", () => {
  test("one bad operation among 1,000 fails and is shown; 999 arrive", async () => {
    const hub = createMemoryHub();
    const { exchange } = hub.transport;
    hub.transport.exchange = async (request, signal) => {
      const ops: { body: string }[] = request.body === undefined ? [] : JSON.parse(request.body).ops;
      const index = ops.findIndex(({ body }) => body.includes('"n":700'));
      if (index < 0) return await exchange(request, signal);
      const error = { code: "invalid_request", message: "no", details: { index } };
      return { status: 400, retryAfterMs: undefined, json: JSON.stringify({ error }) };
    };
    const { engine, store, time } = createDevice(hub.transport);
    for (let n = 0; n < 1_000; n += 1) store.write({ n });
    engine.start();
    await time.advance(0);
    expect(hub.ops().filter(({ kind }) => kind === "observation")).toHaveLength(999);
    expect(store.unsynced()).toHaveLength(1);
    expect(store.failed()).toMatchObject([
      { direction: "push", id: "701", reason: "The hub does not accept its form." },
    ]);
    expect(engine.status().state).toBe("idle");
  });

  test("a record that is too long fails without a request", async () => {
    const hub = createMemoryHub();
    const { engine, store, time } = createDevice(hub.transport);
    store.write({ text: "x".repeat(260_000) });
    store.write({ n: 1 });
    engine.start();
    await time.advance(0);
    expect(store.failed()).toMatchObject([{ id: "1", reason: expect.stringContaining("at most 256000") }]);
    expect(hub.bodies.every((body) => body.length < 10_000)).toBe(true);
    expect(store.unsynced()).toHaveLength(1);
  });

  test("requests stay below 4,000,000 bytes and 500 operations", async () => {
    const hub = createMemoryHub();
    const { engine, store, time } = createDevice(hub.transport);
    for (let n = 0; n < 40; n += 1) store.write({ n, text: "é".repeat(120_000) });
    engine.start();
    await time.advance(0);
    expect(store.unsynced()).toEqual([]);
    const sizes = hub.bodies.map((body) =>
      JSON.parse(body).ops.reduce((sum: number, op: { body: string }) => sum + Buffer.byteLength(op.body), 0),
    );
    expect(Math.max(...sizes)).toBeLessThanOrEqual(4_000_000);
    expect(sizes).toHaveLength(4);
  });

  test("a proxy that takes small requests only gets small requests", async () => {
    const hub = createMemoryHub();
    const { exchange } = hub.transport;
    hub.transport.exchange = async (request, signal) =>
      (request.body?.length ?? 0) > 30_000
        ? { status: 413, retryAfterMs: undefined, json: undefined }
        : await exchange(request, signal);
    const { engine, store, time } = createDevice(hub.transport);
    for (let n = 0; n < 300; n += 1) store.write({ n });
    store.write({ text: "x".repeat(40_000) });
    store.write({ n: "last" });
    engine.start();
    await time.advance(0);
    expect(store.failed()).toMatchObject([{ id: "301", reason: "The hub takes smaller operations only." }]);
    expect(hub.ops().filter(({ kind }) => kind === "observation")).toHaveLength(301);
  });

  test("a hub that refuses everything sets 100 records aside in a run, not all", async () => {
    const hub = createMemoryHub();
    const { exchange } = hub.transport;
    hub.transport.exchange = async (request, signal) => {
      if (!hub.requests.some((each) => each.startsWith("POST")) || request.body === undefined) {
        return await exchange(request, signal);
      }
      const error = { code: "deleted", message: "no", details: { index: 0 } };
      return { status: 409, retryAfterMs: undefined, json: JSON.stringify({ error }) };
    };
    const { engine, store, time } = createDevice(hub.transport);
    for (let n = 0; n < 300; n += 1) store.write({ n });
    engine.start();
    await time.advance(0);
    expect(store.failed()).toHaveLength(100);
    expect(engine.status().state).toBe("backoff");
  });

  test("a push without an answer before a new key causes no conflict", async () => {
    const hub = createMemoryHub();
    const ring = await createRing("the first passphrase", scryptCost.least);
    const { engine, store, time } = createDevice(hub.transport, { ring });
    engine.start();
    await time.advance(0);
    const before = hub.ops().length;
    store.write({ n: 1 });
    store.write({ n: 2 });
    hub.faults.push("lose_answer");
    engine.written();
    await time.advance(1_500);
    expect(hub.ops()).toHaveLength(before + 2);
    expect(store.unsynced()).toHaveLength(2);
    store.remove(0);
    engine.useRing(await rotateRing(ring, "the second passphrase", scryptCost.least));
    await time.advance(60_000);
    expect(store.failed()).toEqual([]);
    expect(store.unsynced()).toEqual([]);
  });

  test("a hub that has every revision with other content sets records aside", async () => {
    const hub = createMemoryHub();
    const { exchange } = hub.transport;
    let conflicts = 0;
    hub.transport.exchange = async (request, signal) => {
      const ops: { body: string }[] = request.body === undefined ? [] : JSON.parse(request.body).ops;
      const index = ops.findIndex(({ body }) => body.includes('"n":7'));
      if (index < 0) return await exchange(request, signal);
      conflicts += 1;
      const error = { code: "revision_conflict", message: "no", details: { index } };
      return { status: 409, retryAfterMs: undefined, json: JSON.stringify({ error }) };
    };
    const { engine, store, time } = createDevice(hub.transport);
    for (let n = 0; n < 10; n += 1) store.write({ n });
    engine.start();
    await time.advance(0);
    expect([conflicts, store.failed().length, store.unsynced().length]).toEqual([2, 1, 1]);
  });
});
