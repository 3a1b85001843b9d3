// The hub: one append-only log per account, which the devices of the account push to and read.
import type { Clock } from "../core/clock.ts";
import { MemError } from "../core/errors.ts";
import type {
  HubCaller,
  HubDevices,
  HubPage,
  HubStatus,
  PushingDevice,
  PushResult,
  PushVerdict,
} from "../core/records/hub.ts";
import { syncLimits } from "../core/records/sync-op.ts";
import { type AuthenticateToken, createTokenAuthentication, noToken } from "./authenticate.ts";
import { createLiveChannel, type LiveChannel } from "./live-channel.ts";
import { readOps } from "./read-ops.ts";
import type { HubLogStore } from "./store.ts";

interface Options {
  store: HubLogStore;
  clock: Clock;
  failuresPerMinute: number;
  requestsPerMinute: number;
}

export interface PushRequest {
  epoch: string | undefined;
  /** Unchecked: each should be `{ body, sha256 }`. */
  ops: readonly unknown[];
}

export interface Pushed {
  epoch: string;
  head_seq: string;
  /** One per operation, in their order. */
  results: PushResult[];
}

/** The ports of the routes. Every method throws `unauthenticated` when the account was deleted meanwhile. */
export interface Hub {
  authenticate: AuthenticateToken;
  /**
   * Stores all operations, or none. Throws `invalid_request`, `payload_too_large`, `device_mismatch`, `revision_conflict`
   * and `deleted` with `details.index`; `epoch_changed`, `device_conflict` and `device_limit_exceeded`.
   */
  push(caller: HubCaller, device: PushingDevice, request: PushRequest): Promise<Pushed>;
  changes(caller: HubCaller, page: { since: string; limit: number }): Promise<HubPage>;
  status(caller: HubCaller): Promise<HubStatus>;
  devices(caller: HubCaller): Promise<HubDevices>;
  channel: LiveChannel;
}

/** Only a push registers a device, in the transaction that stores its operations. */
export function createHub({ store, clock, ...limits }: Options): Hub {
  const channel = createLiveChannel(store);
  return {
    authenticate: createTokenAuthentication({ store, clock, ...limits }),
    async push({ account_id }, device, { epoch, ops }) {
      const received = readOps(device.id, ops);
      const verdict = await store.push({ account_id, device, epoch, ops: received, now: clock.now() });
      return pushed(demandAccount(verdict));
    },
    async changes({ account_id }, { since, limit }) {
      const wish = { since: withinInt64(since), limit, maxBytes: syncLimits.bytesPerRequest };
      return demandAccount(await store.changes(account_id, wish));
    },
    status: async ({ account_id }) => demandAccount(await store.status(account_id)),
    devices: async ({ account_id }) => demandAccount(await store.devices(account_id)),
    channel,
  };
}

function demandAccount<T>(found: T | undefined): T {
  if (found === undefined) throw noToken();
  return found;
}

function pushed(verdict: PushVerdict): Pushed {
  switch (verdict.is) {
    case "accepted":
      return { epoch: verdict.epoch, head_seq: String(verdict.head_seq), results: verdict.results };
    case "epoch_changed":
      throw new MemError("epoch_changed", { details: { epoch: verdict.epoch } });
    case "device_conflict":
      throw new MemError("device_conflict");
    case "device_limit_exceeded":
      throw new MemError("device_limit_exceeded", { details: { limit: syncLimits.devices } });
    case "revision_conflict":
    case "deleted":
      throw new MemError(verdict.is, { details: { index: verdict.index } });
    default:
      return verdict satisfies never;
  }
}

const maxInt64 = 9_223_372_036_854_775_807n;

// Cursors have 64 bits by protocol; the databases count with a sign.
function withinInt64(seq: string): bigint {
  const since = BigInt(seq);
  return since > maxInt64 ? maxInt64 : since;
}
