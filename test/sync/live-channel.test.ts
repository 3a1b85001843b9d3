import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createLiveChannel, type SocketEvents } from "../../src/sync/live-channel.ts";
import { createLiveConnect } from "../../src/sync/live-socket.ts";
import { eventually } from "../helpers/eventually.ts";
import { createDevice, token } from "./device.ts";
import { createMemoryHub } from "./memory-hub.ts";
import { createVirtualTime } from "./virtual-time.ts";

const advance = (head_seq: unknown, epoch: unknown = "epoch-1") =>
  JSON.stringify({ type: "advance", epoch, head_seq });

/** A channel whose sockets the test drives. */
function createDriven(epoch: string | undefined = "epoch-1") {
  const time = createVirtualTime();
  const sockets: (SocketEvents & { isEnded: boolean; bytes: number })[] = [];
  const hints: (string | undefined)[] = [];
  const channel = createLiveChannel({
    device: () => undefined,
    epoch: () => epoch,
    onHint: (head) => hints.push(head),
    timers: time.timers,
    jitter: () => 1,
    connect(_device, events) {
      const socket = { ...events, isEnded: false, bytes: 0 };
      sockets.push(socket);
      return {
        end() {
          socket.isEnded = true;
        },
        bytesRead: () => socket.bytes,
      };
    },
  });
  const last = () => {
    const socket = sockets.at(-1);
    if (socket === undefined) throw new Error("no socket");
    return socket;
  };
  return { time, channel, sockets, hints, last };
}

describe("the live channel", () => {
  test("hands on the head of the log, and nothing else", () => {
    const { channel, hints, last } = createDriven();
    channel.open();
    channel.open();
    expect(channel.isConnected()).toBe(false);
    last().onOpen();
    expect(channel.isConnected()).toBe(true);
    last().onFrame(advance("18446744073709551615"));
    expect(hints).toEqual(["18446744073709551615"]);
  });
  const frames: [string, string | undefined][] = [
    ["bytes", undefined],
    ["no JSON", "{"],
    ["another type", '{"type":"pull","epoch":"epoch-1","head_seq":"1"}'],
    ["another log", advance("1", "epoch-2")],
    ["a log without a name", advance("1", "")],
    ["a head that is a number", advance(1)],
    ["a head beyond 64 bits", advance("18446744073709551616")],
    ["a list", "[]"],
    ["10 MB", advance("1").padEnd(10_000_000)],
  ];
  test.each(frames)(
    "ends after a frame with %s, asks for a pull and connects again",
    async (_what, frame) => {
      const { channel, hints, last, sockets, time } = createDriven();
      channel.open();
      last().onOpen();
      last().onFrame(frame);
      expect([last().isEnded, channel.isConnected()]).toEqual([true, false]);
      expect(hints).toEqual([undefined]);
      await time.advance(1_000);
      expect(sockets).toHaveLength(2);
    },
  );

  test("waits 1 s to 60 s between attempts, and starts over after it worked", async () => {
    const { channel, last, time } = createDriven();
    channel.open();
    const delays: number[] = [];
    for (let n = 0; n < 8; n += 1) {
      last().onClose(undefined);
      delays.push(...time.waiting());
      await time.advance(60_000);
    }
    expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    last().onOpen();
    last().bytes = 10;
    await time.advance(25_000);
    last().onClose(undefined);
    expect(time.waiting()).toEqual([1_000]);
  });

  test("a hub that accepts and drops is asked less and less", async () => {
    const { channel, last, time } = createDriven();
    channel.open();
    for (const expected of [1_000, 2_000, 4_000]) {
      last().onOpen();
      last().onFrame(advance("5"));
      last().onClose(undefined);
      expect(time.waiting()).toEqual([expected]);
      await time.advance(expected);
    }
  });

  test.each([404, 405, 403, 426])("asks again in an hour after status %i", async (status) => {
    const { channel, last, hints, time } = createDriven();
    channel.open();
    last().onClose(status);
    expect(time.waiting()).toEqual([3_600_000]);
    expect(hints).toEqual([]);
  });

  test.each([429, 500, 503])("asks again soon after status %i", (status) => {
    const { channel, last, time } = createDriven();
    channel.open();
    last().onClose(status);
    expect(time.waiting()).toEqual([1_000]);
  });

  test("ends after 75 s without a byte; a ping keeps it", async () => {
    const { channel, last, hints, time } = createDriven();
    channel.open();
    last().onOpen();
    for (let n = 0; n < 20; n += 1) {
      last().bytes += 2;
      await time.advance(30_000);
    }
    expect(channel.isConnected()).toBe(true);
    await time.advance(74_000);
    await time.advance(25_000);
    expect(channel.isConnected()).toBe(false);
    expect(hints).toEqual([undefined]);
  });

  test("leaves no timer when it is closed, and hears nothing more", async () => {
    const { channel, last, hints, time, sockets } = createDriven();
    channel.open();
    last().onOpen();
    channel.close();
    last().onFrame(advance("1"));
    last().onClose(undefined);
    expect([time.waiting(), hints, channel.isConnected(), last().isEnded]).toEqual([[], [], false, true]);
    await time.advance(3_600_000);
    expect(sockets).toHaveLength(1);
  });

  test("accepts any log before the first contact", () => {
    const { channel, last, hints } = createDriven(undefined);
    channel.open();
    last().onOpen();
    last().onFrame(advance("3", "epoch-9"));
    expect(hints).toHaveLength(1);
  });
});

describe("the live channel over a real socket", () => {
  const connections: Socket[] = [];
  const headers: Record<string, unknown>[] = [];
  const server = createServer((_request, response) => response.writeHead(404).end(token));
  server.on("upgrade", (request, socket: Socket) => {
    if (request.url !== "/sub/v1/sync/ws") {
      socket.end("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n");
      return;
    }
    headers.push(request.headers);
    const accept = createHash("sha1")
      .update(`${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest("base64");
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
    );
    socket.on("error", () => socket.destroy());
    socket.on("end", () => socket.destroy()).resume();
    connections.push(socket);
  });

  beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
  afterAll(() => {
    server.closeAllConnections();
    for (const socket of connections) socket.destroy();
    server.close();
  });

  function frame(text: string, opcode = 1): Buffer {
    const body = Buffer.from(text);
    const size = Buffer.alloc(body.length < 126 ? 0 : 8);
    if (size.length > 0) size.writeBigUInt64BE(BigInt(body.length));
    return Buffer.concat([Buffer.of(0x80 | opcode, size.length === 0 ? body.length : 127), size, body]);
  }

  function connect(prefix: string) {
    const seen: string[] = [];
    const address = { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, prefix };
    const open = createLiveConnect(address, { token, userId: "account-1", deviceName: "Žofie's laptop" });
    const socket = open(
      { id: "device-1", nonce: "nonce-1" },
      {
        onOpen: () => seen.push("open"),
        onFrame: (text) => seen.push(text ?? "bytes"),
        onClose: (status) => seen.push(`closed ${status}`),
      },
    );
    onTestFinished(() => socket.end());
    return { seen, socket };
  }

  test("sends the account's headers and reads frames and pings", async () => {
    const { seen, socket } = connect("/sub");
    await eventually(() => expect(seen).toEqual(["open"]));
    expect(headers.at(-1)).toMatchObject({
      authorization: `Bearer ${token}`,
      "x-user-id": "account-1",
      "x-device-id": "device-1",
      "x-device-name": "%C5%BDofie's%20laptop",
    });
    const before = socket.bytesRead();
    connections.at(-1)?.write(frame("", 9));
    await eventually(() => expect(socket.bytesRead()).toBeGreaterThan(before));
    connections.at(-1)?.write(frame(advance("7")));
    await eventually(() => expect(seen.at(-1)).toBe(advance("7")));
    connections.at(-1)?.write(frame("bytes", 2));
    await eventually(() => expect(seen.at(-1)).toBe("bytes"));
  });

  test("ends at a frame of 10 MB without reading it", async () => {
    const { seen, socket } = connect("/sub");
    await eventually(() => expect(seen).toEqual(["open"]));
    connections.at(-1)?.write(frame("x".repeat(10_000_000)));
    await eventually(() => expect(seen).toEqual(["open", "closed undefined"]));
    expect(socket.bytesRead()).toBeLessThan(2_000_000);
  });

  test("reports the status of a hub without a channel, and a hub that is not there", async () => {
    const { seen } = connect("/other");
    await eventually(() => expect(seen).toEqual(["closed 404"]));
    const gone = createLiveConnect(
      { origin: "http://127.0.0.1:1", prefix: "" },
      { token, userId: "a", deviceName: "" },
    );
    const closed: unknown[] = [];
    gone(undefined, {
      onOpen: () => closed.push("open"),
      onFrame: () => undefined,
      onClose: (status) => closed.push(status),
    });
    await eventually(() => expect(closed).toEqual([undefined]));
  });

  test("is silent after its end", async () => {
    const { seen, socket } = connect("/sub");
    await eventually(() => expect(seen).toEqual(["open"]));
    socket.end();
    const [peer] = connections.slice(-1);
    await eventually(() => expect(peer?.destroyed).toBe(true));
    expect(seen).toEqual(["open"]);
  });
});

describe("sync with a live channel", () => {
  test("pulls after a hint, pushes after 250 ms, and polls seldom", async () => {
    const hub = createMemoryHub();
    let onHint: (head: string | undefined) => void = () => undefined;
    let isConnected = false;
    const device = createDevice(hub.transport, {
      createLive(hooks) {
        onHint = hooks.onHint;
        return {
          open: () => {
            isConnected = true;
          },
          close: () => {
            isConnected = false;
          },
          isConnected: () => isConnected,
        };
      },
    });
    const { engine, store, time } = device;
    device.isSessionActive = true;
    engine.start();
    await time.advance(0);
    store.write({ n: 1 });
    engine.written();
    await time.advance(250);
    expect(store.unsynced()).toEqual([]);
    const pulls = () => hub.requests.filter((each) => each.startsWith("GET")).length;
    const before = pulls();
    // The push of this device is no news.
    onHint(store.state().cursor);
    await time.advance(200_000);
    expect(pulls()).toBe(before);
    onHint("99");
    await time.advance(0);
    expect(pulls()).toBe(before + 1);
    await engine.pause();
    expect(isConnected).toBe(false);
    onHint("100");
    await time.advance(0);
    expect(pulls()).toBe(before + 1);
  });
});
