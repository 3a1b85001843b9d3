// Random histories of three devices and a hub: what they do, and what must be true after all faults are over.
import fc from "fast-check";
import type { HubAccess } from "../../src/sync/hub-client.ts";
import type { KeyRing } from "../../src/sync/key-ring.ts";
import { createDevice, type Device } from "./device.ts";
import type { FaultyHub } from "./memory-hub.ts";
import { createMemoryStore, type MemoryStore } from "./memory-store.ts";

/** One step; `device` counts from 0. */
export type Step =
  | { do: "write"; device: number }
  | { do: "edit" | "remove"; device: number; index: number }
  /** `faults` are of its requests; `editAt` changes a record while that request is on its way. */
  | { do: "sync"; device: number; faults: ("lose_request" | "lose_answer" | null)[]; editAt: number | null }
  /** All devices at the same time. */
  | { do: "sync_all" }
  | { do: "restart"; device: number }
  | { do: "break_store"; device: number; method: "apply" | "stamp" }
  | { do: "reset" }
  | { do: "compact" }
  | { do: "page_size"; size: number };

const device = fc.integer({ min: 0, max: 2 });
const index = fc.nat({ max: 20 });
const fault = fc.constantFrom("lose_request" as const, "lose_answer" as const, null);

/** Histories with many syncs, so that faults meet something. */
export const history: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant("write" as const), device }) },
    { weight: 5, arbitrary: fc.record({ do: fc.constant("edit" as const), device, index }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("remove" as const), device, index }) },
    {
      weight: 8,
      arbitrary: fc.record({
        do: fc.constant("sync" as const),
        device,
        faults: fc.array(fault, { maxLength: 5 }),
        editAt: fc.option(fc.nat({ max: 5 })),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("sync_all" as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("restart" as const), device }) },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant("break_store" as const),
        device,
        method: fc.constantFrom("apply" as const, "stamp" as const),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("reset" as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("compact" as const) }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant("page_size" as const), size: fc.integer({ min: 1, max: 5 }) }),
    },
  ),
  { maxLength: 60 },
);

interface World {
  hub: FaultyHub;
  access: HubAccess | undefined;
  ring: KeyRing;
  stores: MemoryStore[];
  devices: Device[];
  /** Names the payloads, so that no two are equal. */
  counter: number;
  /** Names of records that some device wrote, and that none removed. */
  written: Set<string>;
}

/** What the devices have in the end. */
export interface HistoryEnd {
  digests: Record<string, string>[];
  /** Records that were written, never removed, and that a device lacks. */
  lost: string[];
  failed: number;
  lastErrors: (string | null)[];
}

/** Runs the steps, then syncs without faults until nothing is left to do. */
export async function runHistory(
  steps: readonly Step[],
  { hub, ring, access }: { hub: FaultyHub; ring: KeyRing; access?: HubAccess },
): Promise<HistoryEnd> {
  const stores = [createMemoryStore(), createMemoryStore(), createMemoryStore()];
  for (const [at, store] of stores.entries()) await store.adoptDevice(`device-${at}`, `nonce-${at}`);
  const world: World = { hub, access, ring, stores, devices: [], counter: 0, written: new Set() };
  for (const at of stores.keys()) start(world, at);
  for (const step of steps) await take(world, step);
  await heal(world);
  const digests = stores.map((store) => store.digest());
  return {
    digests,
    lost: [...world.written].filter((name) => digests.some((digest) => !(name in digest))),
    failed: stores.reduce((sum, store) => sum + store.failed().length, 0),
    lastErrors: world.devices.map(({ engine }) => engine.status().lastError),
  };
}

function start({ hub, access, ring, stores, devices }: World, at: number): void {
  const store = stores[at];
  if (store === undefined) return;
  const device = createDevice(hub.transport, {
    ...{ store, ring, nonce: `nonce-${at}` },
    ...(access === undefined ? {} : { access }),
  });
  devices[at] = device;
  device.engine.start();
}

async function take(world: World, step: Step): Promise<void> {
  const { hub, stores, devices } = world;
  switch (step.do) {
    case "write": {
      const id = stores[step.device]?.write({ text: nextText(world) });
      world.written.add(`device-${step.device}/observation/${id}`);
      return;
    }
    case "edit":
      stores[step.device]?.edit(step.index, { text: nextText(world) });
      return;
    case "remove":
      return remove(world, step.device, step.index);
    case "sync": {
      hub.faults = step.faults.map((each) => each ?? undefined);
      const { editAt } = step;
      if (editAt !== null) {
        hub.faults[editAt] = () => stores[step.device]?.edit(editAt, { text: nextText(world) });
      }
      await sync(devices[step.device]);
      hub.faults = [];
      return;
    }
    case "sync_all":
      await Promise.all(devices.map(sync));
      return;
    case "restart":
      await devices[step.device]?.engine.close();
      start(world, step.device);
      return;
    case "break_store":
      stores[step.device]?.breakNext(step.method);
      return;
    case "reset":
      return await hub.reset();
    case "compact":
      return await hub.compact();
    case "page_size":
      hub.pageSize = step.size;
      return;
    default:
      return step satisfies never;
  }
}

function nextText(world: World): string {
  world.counter += 1;
  return `text ${world.counter}`;
}

function remove({ stores, written }: World, at: number, index: number): void {
  const before = Object.keys(stores[at]?.digest() ?? {});
  stores[at]?.remove(index);
  const after = new Set(Object.keys(stores[at]?.digest() ?? {}));
  for (const name of before) if (!after.has(name)) written.delete(name);
}

// The edit of a record in flight waits for its debounce.
async function sync(device: Device | undefined): Promise<void> {
  if (device === undefined) return;
  const syncing = device.engine.syncNow({ deadlineMs: 60_000 });
  await device.time.advance(20_000);
  await syncing;
}

async function heal({ hub, devices, stores }: World): Promise<void> {
  hub.pageSize = 500;
  for (let round = 0; round < 6; round += 1) {
    for (const [at, device] of devices.entries()) {
      await stores[at]?.retryFailed();
      await sync(device);
    }
  }
  for (const { engine } of devices) await engine.close();
}
