// Client of a hub: push, changes, status. Every answer is checked; every failure is a `HubFailure`.
import { syncLimits } from "../core/records/sync-op.ts";
import { storableText } from "../text/storable.ts";
import { HubFailure, type HubFailureKind } from "./failure.ts";
import {
  bad,
  type ChangesPage,
  type HubState,
  type ListedDevice,
  type PushAck,
  readDevices,
  readHubState,
  readPage,
  readPushAck,
  readRefusal,
} from "./hub-answers.ts";
import type { HubAnswer, HubTransport } from "./hub-transport.ts";
import type { WireOp } from "./ops.ts";

export interface HubAccess {
  token: string;
  /** Id of the account. */
  userId: string;
  /** Shown in lists of devices; cut to 80 characters. */
  deviceName: string;
}

/** How this data directory presents itself. */
export interface DeviceIdentity {
  id: string;
  nonce: string;
}

export interface HubClient {
  /** All operations are stored, or none. Throws `HubFailure`. */
  push(
    request: { device: DeviceIdentity; epoch: string; ops: readonly WireOp[] },
    signal: AbortSignal,
  ): Promise<PushAck>;
  /** The page after `since`. Throws `HubFailure`. */
  changes(request: { device: DeviceIdentity; since: string }, signal: AbortSignal): Promise<ChangesPage>;
  /** Changes nothing on the hub. Throws `HubFailure`. */
  status(signal: AbortSignal): Promise<HubState>;
  /** All devices of the account; changes nothing on the hub. Throws `HubFailure`. */
  devices(signal: AbortSignal): Promise<{ device_limit: number; devices: ListedDevice[] }>;
  close(): Promise<void>;
}

const maxAckBytes = 200 * syncLimits.opsPerRequest;
// Quotes and backslashes double when a body is quoted.
const maxPageBytes = 2 * syncLimits.bytesPerRequest + 400 * syncLimits.opsPerRequest;
const maxStatusBytes = 16 * 1024;
// A person waits for these; the client of the worker waits for 5 s.
const timeoutMs = 4_000;
const maxDevicesBytes = 1_024 * syncLimits.devices;

export function createHubClient(transport: HubTransport, access: HubAccess): HubClient {
  const account = accountHeaders(access);
  return {
    async push({ device, epoch, ops }, signal) {
      const answer = await transport.exchange(
        {
          method: "POST",
          path: "/v1/sync/ops",
          headers: { ...account, ...deviceHeaders(device, access.deviceName) },
          body: JSON.stringify({ epoch, ops: ops.map(({ body, sha256 }) => ({ body, sha256 })) }),
          maxAnswerBytes: maxAckBytes,
        },
        signal,
      );
      return readPushAck(demandOk(answer, ops.length), ops, epoch);
    },
    async changes({ device, since }, signal) {
      const limit = syncLimits.opsPerRequest;
      const answer = await transport.exchange(
        {
          method: "GET",
          path: `/v1/sync/changes?since=${since}&limit=${limit}`,
          headers: { ...account, ...deviceHeaders(device, access.deviceName) },
          maxAnswerBytes: maxPageBytes,
        },
        signal,
      );
      return readPage(demandOk(answer), since, limit);
    },
    async status(signal) {
      const request = { method: "GET", path: "/v1/sync/status", headers: account, timeoutMs } as const;
      return readHubState(
        demandOk(await transport.exchange({ ...request, maxAnswerBytes: maxStatusBytes }, signal)),
      );
    },
    async devices(signal) {
      const request = { method: "GET", path: "/v1/sync/devices", headers: account, timeoutMs } as const;
      return readDevices(
        demandOk(await transport.exchange({ ...request, maxAnswerBytes: maxDevicesBytes }, signal)),
      );
    },
    close: () => transport.close(),
  };
}

/** Headers that name the account; also of the live channel. */
export function accountHeaders({ token, userId }: HubAccess): Record<string, string> {
  return { authorization: `Bearer ${token}`, "x-user-id": userId };
}

/** Headers that name the device; also of the live channel. */
export function deviceHeaders({ id, nonce }: DeviceIdentity, name: string): Record<string, string> {
  const shown = storableText(name.slice(0, 80));
  return { "x-device-id": id, "x-device-nonce": nonce, "x-device-name": encodeURIComponent(shown) };
}

function demandOk(answer: HubAnswer, sent = 0): string | undefined {
  if (answer.status === 200) return answer.json;
  throw refusalOf(answer, sent);
}

const pushRefusals: Readonly<Record<string, string>> = {
  invalid_request: "The hub does not accept its form.",
  revision_conflict: "The hub has this revision with other content.",
  deleted: "The record was deleted.",
  device_mismatch: "It names another device.",
};

const defaultWaitMs = 30_000;

function refusalOf({ status, json, retryAfterMs }: HubAnswer, sent: number): HubFailure {
  const { code, details } = readRefusal(json);
  const reason = Object.hasOwn(pushRefusals, code) ? pushRefusals[code] : undefined;
  const { index } = details;
  if (reason !== undefined && status >= 400 && status < 500 && typeof index === "number") {
    if (!Number.isInteger(index) || index < 0 || index >= sent)
      return bad("refused an operation that was not sent");
    return new HubFailure(
      { kind: "refused_op", index, code, reason },
      `The hub refused an operation. ${reason}`,
    );
  }
  if (status === 413) return new HubFailure({ kind: "too_large" }, "The hub takes smaller requests only.");
  if (status === 401) return new HubFailure({ kind: "unauthorized" }, "The hub does not accept the token.");
  if (status === 403) {
    return new HubFailure(
      { kind: "wrong_account" },
      "The token belongs to another account than the user id.",
    );
  }
  if (status === 429 || status >= 500) {
    const busy: HubFailureKind = { kind: "busy", retryAfterMs: retryAfterMs ?? defaultWaitMs };
    return new HubFailure(busy, `The hub is busy or failed (status ${status}).`);
  }
  if (status === 409) return conflictOf(code);
  if (status >= 300 && status < 400) return bad("redirects; set the address that answers itself");
  return bad(`answered with status ${status}; check its address`);
}

function conflictOf(code: string): HubFailure {
  switch (code) {
    case "epoch_changed":
      return new HubFailure({ kind: "epoch_changed" }, "The hub started a new log.");
    case "device_conflict":
      return new HubFailure({ kind: "device_conflict" }, "Another data directory uses this device id.");
    case "device_limit_exceeded":
      return new HubFailure({ kind: "device_limit" }, "The account has 64 devices, and no more can join.");
    default:
      return bad("refused the request for a reason that this version does not know");
  }
}
