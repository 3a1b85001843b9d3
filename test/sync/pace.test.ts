import { describe, expect, test } from "vitest";
import { createDevice } from "./device.ts";
import { createMemoryHub } from "./memory-hub.ts";

const pulls = (requests: readonly string[]) => requests.filter((each) => each.startsWith("GET"));

describe("the pace of sync", () => {
  test("a push waits 1.5 s after the last write, and 10 s at most", async () => {
    const hub = createMemoryHub();
    const { engine, store, time } = createDevice(hub.transport);
    engine.start();
    await time.advance(0);
    const before = hub.requests.length;
    store.write({ n: 1 });
    engine.written();
    await time.advance(1_400);
    store.write({ n: 2 });
    engine.written();
    await time.advance(1_400);
    expect(hub.requests).toHaveLength(before);
    await time.advance(100);
    expect(hub.requests).toHaveLength(before + 1);
    for (let n = 0; n < 10; n += 1) {
      store.write({ n });
      engine.written();
      await time.advance(1_000);
    }
    expect(hub.requests).toHaveLength(before + 2);
  });

  test("polls every 30 s in a session, every 5 min without, and not after an hour", async () => {
    const hub = createMemoryHub();
    const device = createDevice(hub.transport);
    const { engine, time } = device;
    device.isSessionActive = true;
    engine.start();
    await time.advance(0);
    const count = async (ms: number) => {
      const before = pulls(hub.requests).length;
      await time.advance(ms);
      return pulls(hub.requests).length - before;
    };
    expect(await count(300_000)).toBe(10);
    device.isSessionActive = false;
    expect(await count(30_000)).toBe(1);
    expect(await count(1_500_000)).toBe(5);
    expect(await count(3_600_000)).toBeLessThan(8);
    expect(engine.status().state).toBe("suspended");
    expect(await count(36_000_000)).toBe(0);
    engine.active();
    expect(await count(0)).toBe(1);
    expect(engine.status().state).toBe("idle");
  });

  test("activity does not put off the next poll", async () => {
    const hub = createMemoryHub();
    const device = createDevice(hub.transport);
    device.isSessionActive = true;
    device.engine.start();
    for (let second = 0; second < 65; second += 1) {
      await device.time.advance(1_000);
      device.engine.active();
    }
    expect(pulls(hub.requests)).toHaveLength(3);
  });

  test("retries after 30 s, doubling to 10 min, and recovers", async () => {
    const hub = createMemoryHub();
    const { engine, store, time } = createDevice(hub.transport);
    hub.isDown = true;
    store.write({ n: 1 });
    engine.start();
    await time.advance(0);
    const delays: number[] = [];
    for (let n = 0; n < 7; n += 1) {
      const [delay = 0] = time.waiting();
      delays.push(delay / 1_000);
      await time.advance(delay);
    }
    expect(delays).toEqual([30, 60, 120, 240, 480, 600, 600]);
    expect(engine.status()).toMatchObject({
      state: "backoff",
      lastError: expect.stringContaining("ECONNRESET"),
    });
    hub.isDown = false;
    await time.advance(600_000);
    expect(store.unsynced()).toEqual([]);
    expect(engine.status()).toMatchObject({ state: "idle", lastError: null });
  });

  test("waits as long as a busy hub asks", async () => {
    const busy = { status: 429, retryAfterMs: 900_000, json: undefined };
    const { engine, time } = createDevice({ exchange: async () => busy, close: async () => undefined });
    engine.start();
    await time.advance(0);
    expect(time.waiting()).toEqual([900_000]);
  });

  test("seven days without a hub: all records arrive in order, starts stay short", async () => {
    const hub = createMemoryHub();
    const { engine, store, time } = createDevice(hub.transport);
    engine.start();
    await time.advance(0);
    hub.isDown = true;
    for (let hour = 0; hour < 7 * 24; hour += 1) {
      for (let n = 0; n < 12; n += 1) store.write({ hour, n });
      engine.written();
      expect(await engine.pullNow({ deadlineMs: 1_500 })).toBe("failed");
      await time.advance(3_600_000);
    }
    // One attempt each 10 min, and one for each session start and the first wait.
    expect(hub.requests.length).toBeLessThan(7 * 24 * 9);
    hub.isDown = false;
    await time.advance(600_000);
    expect(store.unsynced()).toEqual([]);
    const sent = hub.ops().flatMap(({ kind, body }) => (kind === "key" ? [] : [JSON.parse(body).payload]));
    expect(sent).toHaveLength(7 * 24 * 12);
    expect(sent.map(({ hour, n }) => hour * 12 + n)).toEqual(sent.map((_, at) => at));
  });

  test("a session start waits for a slow hub no longer than its deadline", async () => {
    const hub = createMemoryHub();
    let release: () => void = () => undefined;
    const slow = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { engine, store, time } = createDevice({
      exchange: async (request, signal) => {
        await slow;
        return await hub.transport.exchange(request, signal);
      },
      close: async () => undefined,
    });
    engine.start();
    const outcome = engine.pullNow({ deadlineMs: 1_500 });
    await time.advance(1_500);
    expect(await outcome).toBe("late");
    // The pull goes on.
    store.write({ n: 1 });
    release();
    await time.advance(0);
    expect(engine.status().state).toBe("idle");
    expect(store.unsynced()).toEqual([]);
  });
});
