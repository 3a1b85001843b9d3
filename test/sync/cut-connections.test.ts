// Devices over a TCP proxy that cuts the connection ever later, with the real hub on SQLite and PostgreSQL.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { systemTimers } from "../../src/core/clock.ts";
import { scryptCost } from "../../src/sync/account-key.ts";
import { createHubTransport } from "../../src/sync/hub-transport.ts";
import { createRing, type KeyRing } from "../../src/sync/key-ring.ts";
import { volume } from "../helpers/volume.ts";
import { headersOf, newAccount, readAll, type TestAccount, type TestHub, testHubs } from "../hub/hub-rig.ts";
import { createDevice, type Device } from "./device.ts";

type Direction = "up" | "down";

interface Cut {
  direction: Direction;
  bytes: number;
}

/** Forwards connections to a port. `next` cuts the next one; the others pass. */
async function openProxy(port: () => number) {
  const sockets = new Set<Socket>();
  let next: Cut | undefined;
  let cuts = 0;
  let sent: Buffer[][] = [];
  const server = createServer((near) => {
    const far = connect({ host: "127.0.0.1", port: port() });
    const cut = next;
    next = undefined;
    const chunks: Buffer[] = [];
    sent.push(chunks);
    const end = () => {
      near.destroy();
      far.destroy();
    };
    const forward = (from: Socket, to: Socket, direction: Direction) => {
      let left = cut?.direction === direction ? cut.bytes : Number.POSITIVE_INFINITY;
      from.on("data", (chunk: Buffer) => {
        const part = chunk.subarray(0, left);
        if (direction === "up") chunks.push(part);
        left -= part.length;
        if (left > 0) return void to.write(part);
        cuts += 1;
        to.write(part, end);
      });
    };
    forward(near, far, "up");
    forward(far, near, "down");
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        end();
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    cutNext: (cut: Cut) => {
      next = cut;
    },
    cuts: () => cuts,
    /** Bodies of pushes since the last call, whole or not. */
    takePushes() {
      const texts = sent.map((chunks) => Buffer.concat(chunks).toString());
      sent = [];
      return texts.flatMap(pushesIn);
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

function pushesIn(sent: string): string[] {
  return sent.split(/(?=(?:POST|GET) \/v1\/sync\/)/).flatMap((request) => {
    const [head = "", body = ""] = request.split("\r\n\r\n");
    return head.startsWith("POST") && body !== "" ? [body] : [];
  });
}

describe.each(testHubs)("connections to the hub on $name that are cut", ({ open }) => {
  let hub: TestHub;
  let ring: KeyRing;
  let proxy: Awaited<ReturnType<typeof openProxy>>;

  beforeAll(async () => {
    hub = await open();
    ring = await createRing("a passphrase for tests", scryptCost.least);
    await hub.app.listen({ host: "127.0.0.1", port: 0 });
    proxy = await openProxy(() => (hub.app.server.address() as AddressInfo).port);
  });
  afterAll(() => proxy.close());

  function createMember(account: TestAccount, nonce: string) {
    const address = { origin: `http://127.0.0.1:${proxy.port}`, prefix: "" };
    const transport = createHubTransport({ address, timers: systemTimers });
    const access = { token: account.token, userId: account.id, deviceName: nonce };
    const device = createDevice(transport, { ring, nonce, access });
    const close = async () => {
      await device.engine.close();
      await transport.close();
    };
    onTestFinished(close);
    device.engine.start();
    return { ...device, close };
  }

  /** Syncs with a cut, then until nothing waits; false when the whole conversation passed before the cut. */
  async function syncWithCut({ engine }: Pick<Device, "engine">, cut: Cut): Promise<boolean> {
    const before = proxy.cuts();
    proxy.cutNext(cut);
    for (let turn = 0; turn < 5; turn += 1) {
      if ((await engine.syncNow({ deadlineMs: 1e9 })) === "done") return proxy.cuts() > before;
    }
    throw new Error(`still not done: ${engine.status().lastError}`);
  }

  // Kilobytes from one cut to the next where a whole memory passes.
  const long = 48 / volume(48, 6);
  const texts = Array.from({ length: 24 }, (_, at) => `${at} ${"é".repeat(400)}"\\${"x".repeat(at * 37)}`);

  test.each(["up", "down"] as const)(
    "anywhere in a push (%s) lose nothing; a retry has the same bytes",
    async (direction) => {
      const step = direction === "up" ? long : 1;
      let isCut = true;
      let retries = 0;
      let kilobytes = 0;
      for (; isCut; kilobytes += step) {
        const account = await newAccount(hub);
        const laptop = createMember(account, "laptop");
        for (const text of texts) laptop.store.write({ text });
        isCut = await syncWithCut(laptop, { direction, bytes: 100 + kilobytes * 1_024 });
        expect(laptop.store.stamped()).toHaveLength(texts.length);
        expect(laptop.store.failed()).toEqual([]);
        await laptop.close();
        const names = (await readAll(hub, headersOf(account, "reader"))).map(({ body }) => nameOf(body));
        expect(new Set(names).size).toBe(names.length);
        expect(names.filter((name) => name.includes("observation"))).toHaveLength(texts.length);
        retries += demandSameBytes(proxy.takePushes());
      }
      expect(kilobytes).toBeGreaterThan(direction === "up" ? 40 : 2);
      expect(retries).toBeGreaterThan(direction === "up" ? 30 / step : 0);
    },
    120_000,
  );

  test("anywhere in a read lose and double nothing", async () => {
    const account = await newAccount(hub);
    const laptop = createMember(account, "laptop");
    for (const text of texts) laptop.store.write({ text });
    expect(await laptop.engine.syncNow({ deadlineMs: 1e9 })).toBe("done");
    let kilobytes = 0;
    for (const direction of ["up", "down"] as const) {
      const step = direction === "down" ? long : 1;
      for (let isCut = true, at = 0; isCut; at += step) {
        const desk = createMember(account, `desk-${direction}-${at}`);
        isCut = await syncWithCut(desk, { direction, bytes: 100 + at * 1_024 });
        expect(desk.store.digest()).toEqual(laptop.store.digest());
        expect(desk.store.failed()).toEqual([]);
        await desk.close();
        await hub.store.removeDevice(account.id, desk.store.state().device_id ?? "");
        kilobytes += step;
      }
    }
    expect(kilobytes).toBeGreaterThan(40);
  });
});

function nameOf(body: string): string {
  const { device, kind, id, revision } = JSON.parse(body);
  return `${device} ${kind} ${id} ${revision}`;
}

/** A body that was cut is the beginning of a later one; returns how many were. */
function demandSameBytes(bodies: readonly string[]): number {
  let retries = 0;
  for (const [at, body] of bodies.entries()) {
    const again = bodies.slice(at + 1).some((later) => later.startsWith(body));
    const isWhole = body.endsWith("]}");
    if (!isWhole) expect(again, body.slice(0, 200)).toBe(true);
    if (again) retries += 1;
  }
  return retries;
}
