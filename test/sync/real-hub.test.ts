// Sync with the real hub, over SQLite and PostgreSQL.

import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { systemTimers } from "../../src/core/clock.ts";
import { newId } from "../../src/core/ids.ts";
import { scryptCost } from "../../src/sync/account-key.ts";
import type { HubAccess } from "../../src/sync/hub-client.ts";
import { createHubTransport, type HubAnswer, type HubRequest } from "../../src/sync/hub-transport.ts";
import { createRing, type KeyRing } from "../../src/sync/key-ring.ts";
import { createLiveChannel } from "../../src/sync/live-channel.ts";
import { createLiveConnect } from "../../src/sync/live-socket.ts";
import { eventually } from "../helpers/eventually.ts";
import { testSeed } from "../helpers/random.ts";
import { volume } from "../helpers/volume.ts";
import { newAccount, type TestAccount, type TestHub, testHubs } from "../hub/hub-rig.ts";
import { createDevice } from "./device.ts";
import { history, runHistory } from "./histories.ts";
import { type FaultyHub, lost } from "./memory-hub.ts";

const histories = volume(5, 2);
const seed = testSeed();

function accessOf({ id, token }: TestAccount): HubAccess {
  return { token, userId: id, deviceName: "laptop" };
}

/** The hub of an account with faults, without sockets. */
function createFaultyHub({ app, store }: TestHub, account: TestAccount): FaultyHub {
  async function serve({ method, path, headers, body }: HubRequest): Promise<HubAnswer> {
    const url = path.replace("limit=500", `limit=${hub.pageSize}`);
    const json = body === undefined ? {} : { "content-type": "application/json" };
    const request = { method, url, headers: { host: "hub.example", ...headers, ...json } };
    const answer = await app.inject(body === undefined ? request : { ...request, payload: body });
    return { status: answer.statusCode, retryAfterMs: undefined, json: answer.body };
  }
  const hub: FaultyHub = {
    transport: {
      async exchange(request, signal) {
        const fault = hub.faults.shift();
        if (fault === "lose_request") throw lost();
        const answer = await serve(request);
        if (typeof fault === "function") fault();
        if (fault === "lose_answer" || signal.aborted) throw lost();
        return answer;
      },
      close: async () => undefined,
    },
    faults: [],
    pageSize: 500,
    reset: () => store.reset(account.id, newId()),
    async compact() {
      await store.compact({ before_epoch: Date.now() + 60_000, limit: 10_000 });
    },
  };
  return hub;
}

describe.each(testHubs)("sync with the hub on $name", ({ open }) => {
  let hub: TestHub;
  let sealed: KeyRing;

  beforeAll(async () => {
    hub = await open();
    sealed = await createRing("a passphrase for tests", scryptCost.least);
  });

  test(
    "three devices end with the same records after any history",
    async () => {
      const property = fc.asyncProperty(history, fc.boolean(), async (steps, isSealed) => {
        const account = await newAccount(hub);
        const {
          digests,
          lost: gone,
          failed,
          lastErrors,
        } = await runHistory(steps, {
          hub: createFaultyHub(hub, account),
          ring: isSealed ? sealed : { mode: "plain" },
          access: accessOf(account),
        });
        expect(gone).toEqual([]);
        expect(digests[1]).toEqual(digests[0]);
        expect(digests[2]).toEqual(digests[0]);
        expect([failed, lastErrors]).toEqual([0, [null, null, null]]);
      });
      await fc.assert(property, { numRuns: histories, seed });
    },
    histories * 5_000 + 30_000,
  );

  test("a record is on the other device after a hint, over sockets", async () => {
    if (!hub.app.server.listening) await hub.app.listen({ host: "127.0.0.1", port: 0 });
    const { port } = hub.app.server.address() as AddressInfo;
    const address = { origin: `http://127.0.0.1:${port}`, prefix: "" };
    const access = accessOf(await newAccount(hub));
    const connect = createLiveConnect(address, access);
    const [laptop, desktop] = ["laptop", "desktop"].map((nonce) => {
      const transport = createHubTransport({ address, timers: systemTimers });
      const createLive = (
        hooks: Parameters<NonNullable<Parameters<typeof createDevice>[1]>["createLive"] & object>[0],
      ) => createLiveChannel({ ...hooks, connect });
      const device = createDevice(transport, { ring: sealed, nonce, access, createLive });
      onTestFinished(() => device.engine.close());
      device.engine.start();
      return device;
    });
    if (laptop === undefined || desktop === undefined) return;
    const live = () => [laptop, desktop].map(({ engine }) => engine.status().live);
    await expect.poll(live).toEqual([true, true]);
    laptop.store.write({ text: "é".repeat(80_000) });
    laptop.store.write({ text: "small" });
    expect(await laptop.engine.syncNow({ deadlineMs: 1e9 })).toBe("done");
    await eventually(() => expect(desktop.store.digest()).toEqual(laptop.store.digest()));
    expect(laptop.store.stamped()).toHaveLength(2);
    expect(await laptop.engine.probe()).toMatchObject({
      reachable: true,
      hub: { device_count: 2, head_seq: "4" },
    });
  });
});
