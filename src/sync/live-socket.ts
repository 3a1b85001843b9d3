// WebSocket to the hub's live channel: the account's headers, small frames only, the status of a refusal.
import type { Socket } from "node:net";
import type { Dispatcher } from "undici";
import { guardedConnector } from "../core/outbound/network-guard.ts";
import { accountHeaders, type DeviceIdentity, deviceHeaders, type HubAccess } from "./hub-client.ts";
import type { HubAddress } from "./hub-transport.ts";
import type { ConnectLive, LiveSocket, SocketEvents } from "./live-channel.ts";

const connectTimeoutMs = 10_000;
const maxFrameBytes = 1_024;
const maxFragments = 4;

/** Connects to `/v1/sync/ws` of the hub. */
export function createLiveConnect(address: HubAddress, access: HubAccess): ConnectLive {
  return (device, events) => {
    const connection: Connection = { isEnded: false, socket: undefined, end: () => undefined };
    void openSocket(address, headersOf(access, device), events, connection).catch(() => {
      if (!connection.isEnded) events.onClose(undefined);
    });
    return socketOf(connection);
  };
}

interface Connection {
  isEnded: boolean;
  socket: Socket | undefined;
  end(): void;
}

function socketOf(connection: Connection): LiveSocket {
  return {
    end() {
      connection.isEnded = true;
      connection.end();
    },
    bytesRead: () => connection.socket?.bytesRead ?? 0,
  };
}

function headersOf(access: HubAccess, device: DeviceIdentity | undefined): Record<string, string> {
  return {
    ...accountHeaders(access),
    ...(device === undefined ? {} : deviceHeaders(device, access.deviceName)),
  };
}

async function openSocket(
  { origin, prefix }: HubAddress,
  headers: Record<string, string>,
  events: SocketEvents,
  connection: Connection,
): Promise<void> {
  const loaded = await import("undici");
  // A split ES bundle exposes a CommonJS package as default only.
  const undici = loaded.default ?? loaded;
  if (connection.isEnded) return;
  const secure = origin.startsWith("https:");
  const connect = guardedConnector(undici.buildConnector, { secure, connectTimeoutMs });
  const client = new undici.Client(origin, {
    webSocket: { maxPayloadSize: maxFrameBytes, maxFragments },
    connect: (options, callback) =>
      connect(options, (...[error, socket]) => {
        if (error !== null) return callback(error, null);
        connection.socket = socket;
        callback(null, socket);
      }),
  });
  connection.end = () => {
    connection.socket?.destroy();
    void client.destroy();
  };
  let status: number | undefined;
  const socket = new undici.WebSocket(`${origin.replace(/^http/, "ws")}${prefix}/v1/sync/ws`, {
    headers,
    dispatcher: client.compose(noteStatus((found) => (status = found))),
  });
  const ifOpen = (run: () => void) => () => {
    if (!connection.isEnded) run();
  };
  socket.addEventListener(
    "open",
    ifOpen(() => events.onOpen()),
  );
  socket.addEventListener("message", ({ data }) =>
    ifOpen(() => events.onFrame(typeof data === "string" ? data : undefined))(),
  );
  socket.addEventListener(
    "close",
    ifOpen(() => events.onClose(status)),
  );
}

// The WebSocket of the web platform does not say why a handshake failed.
function noteStatus(note: (status: number) => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(
      options,
      new Proxy(handler, {
        get(target, name) {
          const found: unknown = Reflect.get(target, name);
          if (typeof found !== "function") return found;
          return (...given: unknown[]) => {
            const [first, second] = given;
            if (name === "onHeaders" && typeof first === "number") note(first);
            if (name === "onResponseStart" && typeof second === "number") note(second);
            return Reflect.apply(found, target, given);
          };
        },
      }),
    );
}
