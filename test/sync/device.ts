// A device in a test: the engine with a store in memory, a hub and virtual time.
import { createSyncEngine, type SyncEngine, type SyncEngineDeps } from "../../src/sync/engine.ts";
import { createHubClient, type HubAccess } from "../../src/sync/hub-client.ts";
import type { HubTransport } from "../../src/sync/hub-transport.ts";
import type { KeyRing } from "../../src/sync/key-ring.ts";
import { createMemoryStore, type MemoryStore } from "./memory-store.ts";
import { createVirtualTime, type VirtualTime } from "./virtual-time.ts";

export const token = `memhub_${"t0k3n".repeat(8)}abc`;

export interface Device {
  store: MemoryStore;
  engine: SyncEngine;
  time: VirtualTime;
  failures: unknown[];
  /** A session of a host is open. */
  isSessionActive: boolean;
}

export interface DeviceOptions {
  store?: MemoryStore;
  ring?: KeyRing;
  nonce?: string;
  time?: VirtualTime;
  access?: HubAccess;
  createLive?: SyncEngineDeps["createLive"];
}

/** A device that has not started. */
export function createDevice(transport: HubTransport, options: DeviceOptions = {}): Device {
  const { ring = { mode: "plain" }, nonce = "nonce", createLive = null } = options;
  const time = options.time ?? createVirtualTime();
  const store = options.store ?? createMemoryStore();
  const { access = { token, userId: "account-1", deviceName: "laptop" } } = options;
  const device: Device = {
    ...{ store, time, failures: [], isSessionActive: false },
    engine: createSyncEngine({
      ...{ store, ring, nonce, createLive, clock: time.clock, timers: time.timers },
      client: createHubClient(transport, access),
      jitter: () => 1,
      isSessionActive: () => device.isSessionActive,
      onApplied: () => undefined,
      onChange: () => undefined,
      onFailure: (cause) => device.failures.push(cause),
    }),
  };
  return device;
}
