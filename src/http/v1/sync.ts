// Device sync over HTTP: push operations, read the log, its status and devices, the live channel. With a hub token, not an API key.
import type { FastifyReply, FastifyRequest, RouteShorthandOptions } from "fastify";
import { MemError } from "../../core/errors.ts";
import type { HubCaller, PushingDevice } from "../../core/records/hub.ts";
import { isDeviceId, syncLimits } from "../../core/records/sync-op.ts";
import type { Hub } from "../../hub/hub.ts";
import { storableText } from "../../text/storable.ts";
import type { App, DescribedHeaders } from "../plugins/zod.ts";
import { errorBody, readErrors, writeErrors } from "../schemas/error.ts";
import {
  syncAdvance,
  syncChanges,
  syncChangesQuery,
  syncDevices,
  syncPush,
  syncPushed,
  syncStatus,
} from "../schemas/v1-sync.ts";
import { presentedKey, refusalHeaders } from "./authentication.ts";
import type { ClientAddress } from "./client-address.ts";
import { installSyncSocket, syncSocketPath } from "./sync-socket.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Set before the handler of every route that needs a hub token. */
    hubCaller: HubCaller | null;
  }
}

/** How a hub token is sent, for the OpenAPI document. */
export const hubTokens = "A token of a hub account, `memhub_…`, with the account's id in X-User-Id.";

const ofAccount: DescribedHeaders = {
  "X-User-Id": "Id of the token's account. Required; another account is a 403.",
};
const ofDevice: DescribedHeaders = {
  ...ofAccount,
  "X-Device-Id": "The pushing device: 1 to 128 letters, digits, `_`, `-`. Required.",
  "X-Device-Nonce":
    "Made once with the device id. Required; a known device with another nonce is a 409, `device_conflict`.",
  "X-Device-Name": "Name for lists of devices, at most 80 characters, percent-encoded.",
};

const tokenErrors = { 401: errorBody, 429: errorBody } as const;
// Quotes and backslashes double when a body is quoted.
const maxPushBytes = 2 * syncLimits.bytesPerRequest + 200 * syncLimits.opsPerRequest;

interface SyncDeps {
  hub: Hub;
  clientAddress: ClientAddress;
}

/** `POST /v1/sync/ops`, `GET /v1/sync/changes`, `/status`, `/devices` and `/ws`. Only a push registers its device. */
export function syncRoutes(app: App, deps: SyncDeps): void {
  app.decorateRequest("hubCaller", null);
  const common = {
    config: { access: "hub" as const },
    onRequest: (request: FastifyRequest, reply: FastifyReply) => authenticate(request, reply, deps),
  };
  addPush(app, deps.hub, common);
  addReads(app, deps.hub, common);
  addDevices(app, deps.hub, common);
  addSocket(app, deps.hub, common);
}

type Common = Pick<RouteShorthandOptions, "config"> & {
  onRequest(request: FastifyRequest, reply: FastifyReply): Promise<void>;
};

function addPush(app: App, hub: Hub, common: Common): void {
  app.post(
    "/v1/sync/ops",
    {
      ...common,
      bodyLimit: maxPushBytes,
      schema: {
        summary: "Append operations of a device to the account's log: all of them, or none.",
        readsHeaders: ofDevice,
        body: syncPush,
        response: { 200: syncPushed, ...writeErrors, ...tokenErrors, 409: errorBody },
      },
    },
    async (request) => {
      const { epoch, ops } = request.body;
      return await hub.push(callerOf(request), deviceOf(request), { epoch, ops });
    },
  );
}

function addReads(app: App, hub: Hub, common: Common): void {
  app.get(
    "/v1/sync/changes",
    {
      ...common,
      schema: {
        summary: "Operations of the account's log after a sequence, in their order.",
        readsHeaders: ofAccount,
        querystring: syncChangesQuery,
        response: { 200: syncChanges, ...readErrors, ...tokenErrors },
      },
    },
    async (request) => {
      const { ops, ...page } = await hub.changes(callerOf(request), request.query);
      return {
        ...page,
        ops: ops.map(({ sha256, received_at_epoch, ...op }) => ({
          ...op,
          sha256: sha256.toString("base64url"),
          received_at: received_at_epoch,
        })),
      };
    },
  );
  app.get(
    "/v1/sync/status",
    {
      ...common,
      schema: {
        summary: "The state of the account's log; changes nothing.",
        readsHeaders: ofAccount,
        response: { 200: syncStatus, ...readErrors, ...tokenErrors },
      },
    },
    async (request) => {
      const { compacted_through, ...status } = await hub.status(callerOf(request));
      return {
        ...status,
        device_limit: syncLimits.devices,
        ...(compacted_through === null ? {} : { compacted_through }),
      };
    },
  );
}

function addDevices(app: App, hub: Hub, common: Common): void {
  app.get(
    "/v1/sync/devices",
    {
      ...common,
      schema: {
        summary: "The devices of the account, in the order of their first push; changes nothing.",
        readsHeaders: ofAccount,
        response: { 200: syncDevices, ...readErrors, ...tokenErrors },
      },
    },
    async (request) => {
      const { epoch, devices } = await hub.devices(callerOf(request));
      return {
        epoch,
        device_limit: syncLimits.devices,
        devices: devices.map(({ first_push_at_epoch, last_push_at_epoch, ...device }) => ({
          ...device,
          first_push_at: first_push_at_epoch,
          last_push_at: last_push_at_epoch,
        })),
      };
    },
  );
}

function addSocket(app: App, hub: Hub, common: Common): void {
  const socket = installSyncSocket(app, hub.channel);
  app.get(
    syncSocketPath,
    {
      ...common,
      schema: {
        summary: "WebSocket that says when the account's log advanced; it takes no input.",
        readsHeaders: ofAccount,
        response: {
          101: { content: { "application/json": { schema: syncAdvance } } },
          ...readErrors,
          ...tokenErrors,
        },
      },
    },
    (request, reply) => socket.accept(request, reply, callerOf(request)),
  );
}

async function authenticate(
  request: FastifyRequest,
  reply: FastifyReply,
  { hub, clientAddress }: SyncDeps,
): Promise<void> {
  try {
    request.hubCaller = await hub.authenticate({
      token: presentedKey(request),
      account_id: headerOf(request, "x-user-id"),
      address: clientAddress(request.raw),
    });
  } catch (cause) {
    reply.headers(refusalHeaders(cause));
    throw cause;
  }
}

function callerOf({ hubCaller }: FastifyRequest): HubCaller {
  if (hubCaller === null) throw new MemError("internal", { message: "A sync route has no caller." });
  return hubCaller;
}

function headerOf({ headers }: FastifyRequest, name: string): string | null {
  const value = headers[name];
  return typeof value === "string" ? value : null;
}

const maxNameChars = 80;

function deviceOf(request: FastifyRequest): PushingDevice {
  const id = headerOf(request, "x-device-id") ?? "";
  const nonce = headerOf(request, "x-device-nonce") ?? "";
  const name = storableText(decoded(headerOf(request, "x-device-name") ?? "")).trim();
  if (!isDeviceId(id)) throw badHeader("X-Device-Id", "1 to 128 letters, digits, `_` and `-`");
  if (!isDeviceId(nonce)) throw badHeader("X-Device-Nonce", "1 to 128 letters, digits, `_` and `-`");
  if (name.length > maxNameChars) throw badHeader("X-Device-Name", `at most ${maxNameChars} characters`);
  return { id, nonce, name };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not percent-encoded.
    return text;
  }
}

function badHeader(name: string, expected: string): MemError {
  return new MemError("invalid_request", {
    message: `${name} must be ${expected}.`,
    details: { header: name },
  });
}
