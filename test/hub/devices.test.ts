import { describe, expect, test } from "vitest";
import { newId } from "../../src/core/ids.ts";
import type { HubDevice } from "../../src/core/records/hub.ts";
import { syncLimits } from "../../src/core/records/sync-op.ts";
import {
  type Answer,
  get,
  headersOf,
  newAccount,
  op,
  push,
  readAll,
  type TestAccount,
  testHubs,
} from "./hub-rig.ts";

const url = "/v1/sync/devices";

describe.each(testHubs)("the devices of the hub on $name", async ({ open }) => {
  const hub = await open();

  test("are 64: of 80 first contacts together exactly 64 are admitted", async () => {
    const account = await newAccount(hub);
    const answers = await Promise.all(
      Array.from({ length: 80 }, async (_, at) => {
        const device = `device-${at}`;
        return { device, ...(await contact(account, device)) };
      }),
    );
    const admitted = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(admitted).toHaveLength(syncLimits.devices);
    for (const { status, body } of refused) {
      expect([status, body.error.code]).toEqual([409, "device_limit_exceeded"]);
    }
    for (const { device } of admitted.slice(0, 5)) {
      const more = await push(hub, headersOf(account, device), [op({ device, id: "2" })]);
      expect(more.status).toBe(200);
    }
    const [left] = admitted;
    await hub.store.removeDevice(account.id, left?.device ?? "");
    const device = refused[0]?.device ?? "";
    expect((await push(hub, headersOf(account, device), [op({ device })])).status).toBe(200);
    expect((await hub.store.devices(account.id))?.devices).toHaveLength(syncLimits.devices);
  });

  test("are registered by a push that stores, and by nothing else", async () => {
    const account = await newAccount(hub);
    const headers = headersOf(account, "a");
    const count = async () => (await get(hub, headers, "/v1/sync/status")).body.device_count;
    await get(hub, headers, "/v1/sync/changes");
    await push(hub, headers, [{ body: "{}", sha256: "" }]);
    expect(await count()).toBe(0);
    await push(hub, headers, [op({ device: "a" })]);
    expect(await count()).toBe(1);
    await push(hub, headersOf(account, "b"), [op({ device: "b" }), op({ device: "b" }, { other: 1 })]);
    expect(await count()).toBe(1);
    const { body } = await get(hub, headersOf(account, "b"), url);
    expect(body.devices).toMatchObject([{ id: "a", name: "name of a" }]);
  });

  test("are listed for each of them, with their last sequences in the present log", async () => {
    const account = await newAccount(hub);
    const listed = async () => (await get(hub, headersOf(account, "d"), url)).body;
    const empty = await listed();
    expect(empty).toEqual({ epoch: expect.any(String), device_limit: 64, devices: [] });
    const sent = (device: string, count: number) =>
      push(
        hub,
        headersOf(account, device),
        Array.from({ length: count }, (_, id) => op({ device, id: String(id) })),
      );
    await sent("b", 3);
    await sent("a", 2);
    await sent("b", 3);
    await sent("b", 4);
    await push(hub, headersOf(await newAccount(hub), "c"), [op({ device: "c" })]);
    const full = await listed();
    expect(full.epoch).toBe(empty.epoch);
    expect(full.devices.map(({ id, last_seq }: HubDevice) => [id, last_seq])).toEqual([
      ["b", "6"],
      ["a", "5"],
    ]);
    for (const { first_push_at, last_push_at } of full.devices) {
      expect(first_push_at).toBeGreaterThan(0);
      expect(last_push_at).toBeGreaterThanOrEqual(first_push_at);
    }
    await hub.store.reset(account.id, newId());
    const after = await listed();
    expect(after.epoch).not.toBe(full.epoch);
    expect(after.devices.map(({ last_seq }: HubDevice) => last_seq)).toEqual(["0", "0"]);
    expect((await get(hub, headersOf(account, "d"), "/v1/sync/status")).body.device_count).toBe(2);
  });

  test("with a copied data directory differ by their nonce", async () => {
    const account = await newAccount(hub);
    const headers = headersOf(account, "a");
    await push(hub, headers, [op({ device: "a" })]);
    const copy = { ...headers, "x-device-nonce": "another" };
    const refused = await push(hub, copy, [op({ device: "a", id: "2" })]);
    expect([refused.status, refused.body.error.code]).toEqual([409, "device_conflict"]);
    // Its replays too: only one of the two may go on under the id.
    expect((await push(hub, copy, [op({ device: "a" })])).status).toBe(409);
    expect(await readAll(hub, copy)).toHaveLength(1);
    const renamed = { ...copy, "x-device-id": "b" };
    expect((await push(hub, renamed, [op({ device: "b" })])).status).toBe(200);
  });

  test.each([
    ["x-device-id", "", 400],
    ["x-device-id", "a b", 400],
    ["x-device-id", "a".repeat(128), 200],
    ["x-device-id", "a".repeat(129), 400],
    ["x-device-nonce", "", 400],
    ["x-device-nonce", "n/n", 400],
    ["x-device-name", "", 200],
    ["x-device-name", "\u00e9%F0%9F%98%80", 200],
    ["x-device-name", "a".repeat(80), 200],
    ["x-device-name", "a".repeat(81), 400],
    ["x-device-name", "%ZZ", 200],
  ])("with %s %j are answered %i when they push, 200 when they read", async (header, value, expected) => {
    const account = await newAccount(hub);
    const headers = { ...headersOf(account, "a"), [header]: value };
    const device = header === "x-device-id" ? value : "a";
    expect((await push(hub, headers, [op({ device })])).status).toBe(expected);
    for (const url of ["/v1/sync/changes", "/v1/sync/status"])
      expect((await get(hub, headers, url)).status).toBe(200);
  });

  test("reach their own account and no other, whatever they claim", async () => {
    const accounts = await Promise.all([1, 2, 3].map(() => newAccount(hub)));
    const devices = ["a", "b"];
    for (const account of accounts) {
      for (const device of devices) {
        const own = op({ device, id: account.id });
        expect((await push(hub, headersOf(account, device), [own])).status).toBe(200);
      }
    }
    const seen = (account: TestAccount) => readAll(hub, headersOf(account, "a"));
    const before = await Promise.all(accounts.map(seen));
    for (const account of accounts) {
      for (const other of accounts) {
        for (const device of devices) await claim(account, other, device);
      }
    }
    expect(await Promise.all(accounts.map(seen))).toEqual(before);
    for (const [at, ops] of before.entries()) {
      expect(ops).toHaveLength(devices.length);
      for (const { body } of ops) expect(JSON.parse(body).id).toBe(accounts[at]?.id);
    }
  });

  /** A push, again while the hub has no connection free, as a device does it. */
  async function contact(account: TestAccount, device: string): Promise<Answer> {
    for (;;) {
      const answer = await push(hub, headersOf(account, device), [op({ device })]);
      if (answer.status !== 503) return answer;
    }
  }

  /** A device of `account` claims to be of `other`, and claims to be another device. */
  async function claim(account: TestAccount, other: TestAccount, device: string): Promise<void> {
    const headers = { ...headersOf(account, device), "x-user-id": other.id };
    const isOwn = account === other;
    for (const url of ["/v1/sync/changes", "/v1/sync/status", "/v1/sync/devices", "/v1/sync/ws"]) {
      const { status, body } = await get(hub, headers, url);
      const expected = url.endsWith("ws") ? 400 : 200;
      expect(status, url).toBe(isOwn ? expected : 403);
      if (!isOwn) expect(body.error.code).toBe("account_mismatch");
    }
    const forged = op({ device: device === "a" ? "b" : "a", id: "forged" });
    const { status, body } = await push(hub, headers, [forged]);
    expect([status, body.error.code]).toEqual([403, isOwn ? "device_mismatch" : "account_mismatch"]);
    if (isOwn) expect(body.error.details).toEqual({ index: 0 });
  }
});
