import { beforeAll, describe, expect, test } from "vitest";
import { recoveryPhrase, scryptCost, type WrappedKey } from "../../src/sync/account-key.ts";
import { demandPlain, joinAccount } from "../../src/sync/join.ts";
import { createRing, joinRing, newestKey, rotateRing, type SealedRing } from "../../src/sync/key-ring.ts";
import { readChange } from "../../src/sync/ops.ts";
import { createDevice } from "./device.ts";
import { createMemoryHub, type MemoryHub } from "./memory-hub.ts";

const cost = scryptCost.least;
let ring: SealedRing;
let rotated: SealedRing;
let other: SealedRing;

beforeAll(async () => {
  ring = await createRing("the first passphrase", cost);
  rotated = await rotateRing(ring, "the second passphrase", cost);
  other = await createRing("another passphrase", cost);
});

/** What a device that joins reads from the log. */
function noticesIn(hub: MemoryHub): WrappedKey[] {
  return hub.ops().flatMap(({ body, seq }) => {
    const change = readChange(body, String(seq), { mode: "plain" });
    return change.is === "notice" && change.notice.mode === "sealed" ? [change.notice] : [];
  });
}

describe("account keys in the log", () => {
  test("the key comes before the first record, and a passphrase joins the account", async () => {
    const hub = createMemoryHub();
    const laptop = createDevice(hub.transport, { ring });
    laptop.store.write({ secret: "canary" });
    laptop.engine.start();
    await laptop.time.advance(0);
    expect(hub.ops().map(({ kind }) => kind)).toEqual(["key", "observation"]);
    expect(hub.bodies.join("")).not.toContain("canary");
    const joined = await joinRing(noticesIn(hub), "the first passphrase");
    const desktop = createDevice(hub.transport, { ring: joined ?? other, nonce: "other" });
    desktop.engine.start();
    await desktop.time.advance(0);
    expect(desktop.store.digest()).toEqual(laptop.store.digest());
  });

  test("another key than the account's stops the device; nothing is skipped", async () => {
    const hub = createMemoryHub();
    const laptop = createDevice(hub.transport, { ring });
    laptop.store.write({ n: 1 });
    laptop.engine.start();
    await laptop.time.advance(0);
    const desktop = createDevice(hub.transport, { ring: other, nonce: "other" });
    desktop.store.write({ n: 2 });
    desktop.engine.start();
    await desktop.time.advance(0);
    expect(desktop.engine.status()).toMatchObject({ state: "stopped", reason: "key_missing", cursor: "0" });
    expect(desktop.engine.status().lastError).toContain("`mem sync setup`");
    expect(hub.ops()).toHaveLength(2);
    desktop.engine.useRing(ring);
    await desktop.time.advance(0);
    expect(desktop.engine.status().state).toBe("idle");
    expect(Object.keys(desktop.store.digest())).toHaveLength(2);
  });

  test("two devices that set up an account at the same time agree on the first key", async () => {
    const hub = createMemoryHub();
    const first = createDevice(hub.transport, { ring });
    const second = createDevice(hub.transport, { ring: other, nonce: "other" });
    second.store.write({ n: 2 });
    // The second reads an empty log, then the first announces its key.
    hub.faults = [() => first.engine.start()];
    second.engine.start();
    await second.time.advance(0);
    await first.time.advance(0);
    await second.time.advance(600_000);
    const states = [first, second].map(({ engine }) => engine.status().state);
    expect(states.toSorted()).toEqual(["idle", "stopped"]);
    expect(hub.ops().filter(({ kind }) => kind === "observation").length).toBeLessThanOrEqual(1);
  });

  test("after a rotation the other device needs the new passphrase, and then goes on", async () => {
    const hub = createMemoryHub();
    const laptop = createDevice(hub.transport, { ring });
    const desktop = createDevice(hub.transport, { ring, nonce: "other" });
    for (const { engine, store, time } of [laptop, desktop]) {
      store.write({ from: "before" });
      engine.start();
      await time.advance(0);
    }
    laptop.engine.useRing(rotated);
    laptop.store.write({ from: "after" });
    await laptop.time.advance(10_000);
    desktop.store.write({ from: "waits" });
    expect(await desktop.engine.syncNow({ deadlineMs: 1_000 })).toBe("failed");
    expect(desktop.engine.status()).toMatchObject({ state: "stopped", reason: "key_missing" });
    expect(await joinRing(noticesIn(hub), "the first passphrase")).toEqual(
      expect.objectContaining({ versions: [expect.objectContaining({ version: 1 })] }),
    );
    const joined = await joinRing(noticesIn(hub), "the second passphrase");
    expect(joined?.versions).toHaveLength(2);
    desktop.engine.useRing(joined ?? other);
    await desktop.time.advance(0);
    await laptop.engine.syncNow({ deadlineMs: 1_000 });
    expect(Object.keys(laptop.store.digest())).toHaveLength(4);
    expect(desktop.store.digest()).toEqual(laptop.store.digest());
  });

  test("a key that a hub announces later changes nothing", async () => {
    const hub = createMemoryHub();
    const laptop = createDevice(hub.transport, { ring });
    laptop.engine.start();
    await laptop.time.advance(0);
    const planter = createDevice(hub.transport, { ring: other, nonce: "planter" });
    const { ops } = hub;
    // The planter does not see the account's key, as a hub would not.
    planter.engine.start();
    await planter.time.advance(0);
    expect(planter.engine.status().state).toBe("stopped");
    const foreign = await rotateRing(other, "another passphrase", cost);
    const forged = createDevice(createMemoryHub().transport, { ring: foreign, nonce: "forger" });
    forged.engine.start();
    await forged.time.advance(0);
    expect(ops()).toHaveLength(1);
    expect(await laptop.engine.syncNow({ deadlineMs: 1_000 })).toBe("done");
  });

  test("a new log gets the keys again, from every device", async () => {
    const hub = createMemoryHub();
    const devices = [
      createDevice(hub.transport, { ring }),
      createDevice(hub.transport, { ring, nonce: "other" }),
    ];
    for (const { engine, store, time } of devices) {
      store.write({ n: 1 });
      engine.start();
      await time.advance(0);
    }
    hub.reset();
    for (const { engine } of devices) await engine.syncNow({ deadlineMs: 1_000 });
    expect(hub.ops().filter(({ kind }) => kind === "key")).toHaveLength(2);
    expect(hub.ops()[0]?.kind).toBe("key");
  });

  test("a device without its key file pushes nothing", async () => {
    const hub = createMemoryHub();
    const lost = createDevice(hub.transport, { ring: { mode: "unset" } });
    lost.store.write({ n: "canary" });
    lost.engine.start();
    await lost.time.advance(0);
    expect(hub.bodies).toEqual([]);
    expect(lost.engine.status()).toMatchObject({ state: "stopped", reason: "key_missing" });
    lost.engine.useRing(ring);
    await lost.time.advance(0);
    expect(lost.store.unsynced()).toEqual([]);
    expect(hub.bodies.join("")).not.toContain("canary");
  });

  test("an account that the hub calls plain is joined with a yes only", () => {
    expect(() => demandPlain(false)).toThrow("not encrypted");
    expect(() => demandPlain(true)).not.toThrow();
  });

  test("what was read without the key file is read again with it", async () => {
    const hub = createMemoryHub();
    const laptop = createDevice(hub.transport, { ring });
    laptop.engine.start();
    await laptop.time.advance(0);
    const desktop = createDevice(hub.transport, { ring, nonce: "other" });
    desktop.engine.start();
    await desktop.time.advance(0);
    desktop.engine.useRing({ mode: "unset" });
    laptop.store.write({ n: "while it was lost" });
    await laptop.engine.syncNow({ deadlineMs: 1_000 });
    await desktop.engine.syncNow({ deadlineMs: 1_000 });
    expect(desktop.store.failed()).toMatchObject([{ direction: "pull", kind: "observation" }]);
    desktop.engine.useRing(ring);
    await desktop.time.advance(0);
    expect(desktop.store.failed()).toEqual([]);
    expect(desktop.store.digest()).toEqual(laptop.store.digest());
  });

  test("a passphrase and a phrase from before the last rotation say so", async () => {
    const notices = rotated.versions.map(({ notice }) => notice);
    const recovery = recoveryPhrase(newestKey(ring).key);
    for (const secret of [{ passphrase: "the first passphrase" }, { recovery }])
      await expect(joinAccount(notices, secret)).rejects.toThrow("The account has a newer key");
    const { ring: joined } = await joinAccount(notices, { passphrase: "the second passphrase" });
    expect(joined).toMatchObject({ mode: "sealed", versions: [{ version: 1 }, { version: 2 }] });
  });
});
