import { describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { systemClock } from "../../src/core/clock.ts";
import { newId } from "../../src/core/ids.ts";
import { sendRaw } from "../helpers/raw-http.ts";
import { until } from "../helpers/worker-process.ts";
import { headersOf, newAccount, newToken, op, push, testHubs } from "./hub-rig.ts";

describe.each(testHubs)("the live channel of the hub on $name", async ({ open }) => {
  const hub = await open();
  const port = Number(new URL(await hub.app.listen({ host: "127.0.0.1", port: 0 })).port);
  const device = "laptop";

  /** A connection with the frames that it got. */
  function connect(headers: Record<string, string>) {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/sync/ws`, { headers });
    const frames: { type: string; epoch: string; head_seq: string }[] = [];
    socket.on("message", (frame) => frames.push(JSON.parse(String(frame))));
    socket.on("error", () => undefined);
    const closed = new Promise<number>((resolve) => void socket.once("close", resolve));
    const refused = new Promise<number>((resolve) => {
      socket.once("unexpected-response", (_request, response) => {
        resolve(response.statusCode ?? 0);
        response.resume();
        socket.terminate();
      });
    });
    onTestFinished(() => socket.terminate());
    return {
      socket,
      frames,
      closed,
      refused,
      head: (seq: string) =>
        until(() => frames.find(({ head_seq }) => head_seq === seq), 20_000, `a frame with ${seq}`),
    };
  }

  test("says where the log stands, then when it advances, and nothing else", async () => {
    const account = await newAccount(hub);
    const other = await newAccount(hub);
    const headers = headersOf(account, device);
    const { body } = await push(hub, headers, [op({ device })]);
    const [live, neighbor] = [connect(headers), connect(headersOf(other, device))];
    expect(await live.head("1")).toEqual({ type: "advance", epoch: body.epoch, head_seq: "1" });
    await neighbor.head("0");
    await push(hub, headers, [op({ device, id: "2" })]);
    expect(await live.head("2")).toEqual({ type: "advance", epoch: body.epoch, head_seq: "2" });
    await push(hub, headers, [op({ device, id: "2" })]);
    await push(hub, headers, [op({ device, id: "3" })]);
    await live.head("3");
    expect(live.frames).toHaveLength(3);
    expect(neighbor.frames).toHaveLength(1);
  });

  test("notifies every device of a busy account, the last frame being the head", async () => {
    const account = await newAccount(hub);
    const live = Array.from({ length: 10 }, () => connect(headersOf(account, device)));
    await Promise.all(live.map(({ head }) => head("0")));
    for (let id = 1; id <= 30; id += 1)
      await push(hub, headersOf(account, device), [op({ device, id: String(id) })]);
    await Promise.all(live.map(({ head }) => head("30")));
  });

  test("says that a reset started another log", async () => {
    const account = await newAccount(hub);
    const headers = headersOf(account, device);
    const { body } = await push(hub, headers, [op({ device })]);
    const live = connect(headers);
    await live.head("1");
    await hub.store.reset(account.id, newId());
    // A command does it in another process; here the next push is what the hub notices.
    await push(hub, headers, [op({ device, id: "2" })]);
    const last = await until(
      () => live.frames.find(({ epoch }) => epoch !== body.epoch),
      20_000,
      "a frame of the new log",
    );
    expect(last.type).toBe("advance");
  });

  test("ends for a revoked token, and goes on for the others", async () => {
    const account = await newAccount(hub);
    const second = { ...account, ...(await newToken(hub.store, account.id)) };
    const [first, live] = [connect(headersOf(account, device)), connect(headersOf(second, device))];
    await Promise.all([first.head("0"), live.head("0")]);
    expect(await hub.store.revokeToken(account.token_id, systemClock.now())).toBe(true);
    await push(hub, headersOf(second, device), [op({ device })]);
    expect(await first.closed).toBe(4401);
    await live.head("1");
    expect(first.frames).toHaveLength(1);
    expect(await connect(headersOf(account, device)).refused).toBe(401);
  });

  test("is refused like every request: 401, 403, and 400 for a handshake that is none", async () => {
    const account = await newAccount(hub);
    const other = await newAccount(hub);
    const headers = headersOf(account, device);
    expect(await connect({ ...headers, authorization: "Bearer x" }).refused).toBe(401);
    expect(await connect({ ...headers, "x-user-id": other.id }).refused).toBe(403);
    const bad = await sendRaw(
      port,
      `GET /v1/sync/ws HTTP/1.1\r\n${lines(headers)}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    );
    expect(bad.status).toBe(400);
    const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 2";
    const withBody = `GET /v1/sync/ws HTTP/1.1\r\n${lines(headers)}\r\n${upgrade}\r\n\r\n{}`;
    expect((await sendRaw(port, withBody)).status).toBe(400);
    const plain = await hub.app.inject({ url: "/v1/sync/ws", headers });
    expect([plain.statusCode, plain.json().error.code]).toEqual([400, "invalid_request"]);
  });

  test("closes when a device sends anything", async () => {
    const live = connect(headersOf(await newAccount(hub), device));
    await live.head("0");
    live.socket.send("hello");
    expect(await live.closed).toBe(1008);
    const large = connect(headersOf(await newAccount(hub), device));
    await large.head("0");
    large.socket.send("x".repeat(10_000_000));
    expect(await large.closed).toBeGreaterThan(1000);
  });

  test("has at most 128 connections of an account", async () => {
    const account = await newAccount(hub);
    const headers = headersOf(account, device);
    // Handshakes that fail take no place.
    const bad = `GET /v1/sync/ws HTTP/1.1\r\n${lines(headers)}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;
    await Promise.all(Array.from({ length: 20 }, () => sendRaw(port, bad)));
    const live = Array.from({ length: 128 }, () => connect(headers));
    await Promise.all(live.map(({ head }) => head("0")));
    expect(await connect(headers).refused).toBe(503);
    await connect(headersOf(await newAccount(hub), device)).head("0");
    live[0]?.socket.close();
    await live[0]?.closed;
    await until(
      async () => {
        const again = connect(headers);
        const answer = await Promise.race([again.refused, again.head("0")]);
        return answer === 503 ? undefined : answer;
      },
      20_000,
      "a free place",
    );
  });

  test("leaves a request that offers HTTP/2 an ordinary request, with its body", async () => {
    const account = await newAccount(hub);
    const payload = JSON.stringify({ ops: [op({ device }, { text: "x".repeat(200_000) })] });
    const offer =
      "Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__";
    const head = `POST /v1/sync/ops HTTP/1.1\r\n${lines(headersOf(account, device))}\r\n${offer}\r\n`;
    const json = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(payload)}\r\n\r\n`;
    const answer = await sendRaw(port, head + json + payload);
    expect(answer.status).toBe(200);
    expect(answer.body).toContain('"head_seq":"1"');
    const elsewhere = await sendRaw(
      port,
      `GET /v1/nothing HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n`,
    );
    expect(elsewhere.status).toBe(404);
  });

  function lines(headers: Record<string, string>): string {
    return Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join("\r\n");
  }
});
