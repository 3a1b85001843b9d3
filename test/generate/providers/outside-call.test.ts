import { getEventListeners } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Resolve } from "../../../src/core/outbound/network-guard.ts";
import { createOutsideCall } from "../../../src/generate/providers/outside-call.ts";
import { modelServer } from "./model-server.ts";

const clock = { now: () => 1, monotonicMs: () => 1 };
const request = { path: "/v1/chat/completions", headers: { "x-api-key": "k" }, body: {}, secrets: ["k"] };
const signal = new AbortController().signal;

function callTo(origin: string, resolve?: Resolve) {
  const call = createOutsideCall({
    origin,
    timeoutMs: 30_000,
    clock,
    ...(resolve === undefined ? {} : { resolve }),
  });
  onTestFinished(() => call.close());
  return call;
}

/** A name server that gives its answers in turn, the last one for good. */
function names(...answers: string[][]): Resolve & { asked: number } {
  const resolve = ((_host, _options, callback) => {
    const addresses = answers[Math.min(resolve.asked++, answers.length - 1)] ?? [];
    const all = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    process.nextTick(() => callback(null, all));
  }) as Resolve & { asked: number };
  resolve.asked = 0;
  return resolve;
}

describe("addresses that no model server has", () => {
  test.each([
    "http://169.254.169.254",
    "https://169.254.0.1",
    "http://2852039166",
    "http://0xa9fea9fe",
    "https://[fe80::1]",
    "https://[febf::1]",
    "http://[::ffff:169.254.169.254]",
    "http://[::ffff:a9fe:a9fe]",
    "https://[64:ff9b::169.254.169.254]",
    "https://[2002:a9fe:a9fe::1]",
    "https://[fd00:ec2::254]",
    "https://100.100.100.200",
  ])("%s is not connected to", async (origin) => {
    await expect(callTo(new URL(origin).origin).post(request, signal)).rejects.toMatchObject({
      kind: "auth",
      fix: "address",
      message: expect.stringContaining("nothing was sent"),
    });
  });

  test.each([
    [["169.254.169.254"]],
    [["fe80::1"]],
    [["::ffff:169.254.169.254"]],
    [["127.0.0.1", "169.254.169.254"]],
  ])("a name that resolves to %j is not connected to", async (addresses) => {
    const server = await modelServer();
    const origin = server.url.replace("127.0.0.1", "models.test");
    await expect(callTo(origin, names(addresses)).post(request, signal)).rejects.toMatchObject({
      kind: "auth",
      message: expect.stringMatching(/^models\.test \(.*\) is a link-local/),
    });
    expect(server.requests).toHaveLength(0);
  });

  test("connects to the checked address: one name lookup per connection", async () => {
    const server = await modelServer();
    const origin = server.url.replace("127.0.0.1", "models.test");
    const resolve = names(["127.0.0.1"], ["169.254.169.254"]);
    const call = callTo(origin, resolve);
    await expect(call.post(request, signal)).resolves.toMatchObject({ contentType: "application/json" });
    expect(resolve.asked).toBe(1);
    expect(server.requests).toHaveLength(1);
  });

  test.each(["http://93.184.216.34", "http://[2606:2800::1]"])(
    "%s is on the public network and not asked in the clear",
    async (origin) => {
      await expect(callTo(origin).post(request, signal)).rejects.toMatchObject({
        kind: "auth",
        message: expect.stringContaining("use https"),
      });
    },
  );

  test("a name with a public address is not asked in the clear", async () => {
    await expect(
      callTo("http://models.test", names(["93.184.216.34"])).post(request, signal),
    ).rejects.toMatchObject({ kind: "auth", message: expect.stringContaining("use https") });
  });

  test("a name without an address is unavailable", async () => {
    const unknown: Resolve = (host, _options, callback) =>
      callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: "ENOTFOUND" }), "", 4);
    await expect(callTo("https://models.test", unknown).post(request, signal)).rejects.toMatchObject({
      kind: "unavailable",
      message: "models.test cannot be reached: getaddrinfo ENOTFOUND models.test",
    });
  });
});

describe("what the user has to fix", () => {
  test.each(["http://93.184.216.34", "http://[fd00:ec2::254]"])(
    "the address, where it is %s",
    async (origin) => {
      await expect(callTo(origin).post(request, signal)).rejects.toMatchObject({
        kind: "auth",
        fix: "address",
      });
    },
  );

  test.each([301, 302, 303, 307, 308])("the address, where the server redirects with %d", async (status) => {
    const asked: string[] = [];
    const server = createServer((incoming, response) => {
      asked.push(incoming.url ?? "");
      response.writeHead(status, { location: "https://elsewhere.example/v1" }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(callTo(origin).post(request, signal)).rejects.toMatchObject({
      kind: "auth",
      fix: "address",
      message: expect.stringContaining("redirects to elsewhere.example"),
    });
    expect(asked).toEqual([request.path]);
  });

  test("the key, where a header cannot carry it, and nothing is sent", async () => {
    const server = await modelServer();
    const headers = { "x-api-key": "a\nb" };
    await expect(callTo(server.url).post({ ...request, headers }, signal)).rejects.toMatchObject({
      kind: "auth",
      fix: "key",
    });
    expect(server.requests).toHaveLength(0);
  });
});

describe("what a call leaves behind", () => {
  test("a name on this machine is connected to, and answers", async () => {
    const server = await modelServer();
    const answer = await callTo(server.url.replace("127.0.0.1", "localhost")).post(request, signal);
    expect(JSON.parse(answer.text)).toMatchObject({ model: "scripted-model-1" });
  });

  test("the proxies of the environment see nothing", async () => {
    const seen: string[] = [];
    const proxy = createServer((incoming, response) => {
      seen.push(incoming.url ?? "");
      response.end();
    });
    proxy.on("connect", (incoming, socket) => {
      seen.push(incoming.url ?? "");
      socket.end();
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      proxy.closeAllConnections();
      proxy.close();
    });
    const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    for (const name of ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "NODE_USE_ENV_PROXY"]) {
      vi.stubEnv(name, name === "NODE_USE_ENV_PROXY" ? "1" : address);
    }
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const server = await modelServer();
    await callTo(server.url).post(request, signal);
    expect(server.requests).toHaveLength(1);
    expect(seen).toEqual([]);
  });

  test("calls leave no listeners on the caller's signal", async () => {
    const server = await modelServer();
    const call = callTo(server.url);
    const caller = new AbortController();
    for (let index = 0; index < 20; index++) await call.post(request, caller.signal);
    server.play("server-error");
    await call.post(request, caller.signal).catch(() => undefined);
    expect(getEventListeners(caller.signal, "abort")).toHaveLength(0);
  });

  test("connections serve more than one call", async () => {
    const server = await modelServer();
    const call = callTo(server.url);
    for (let index = 0; index < 20; index++) await call.post(request, signal);
    expect(await server.openConnections()).toBeLessThan(4);
  });

  test("holds ten concurrent answers of 50 MB nowhere", async () => {
    const server = await modelServer({ script: "50mb" });
    const call = callTo(server.url);
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const sampling = setInterval(() => {
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }, 2);
    const answers = await Promise.allSettled(Array.from({ length: 10 }, () => call.post(request, signal)));
    clearInterval(sampling);
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: "rejected", reason: { kind: "bad_answer" } });
    }
    // Ten times the limit, and what ten sockets and the server on the other side buffer.
    expect(most).toBeLessThan(120 * 1024 * 1024);
  });

  test("close ends what is under way", async () => {
    const server = await modelServer({ script: "hang" });
    const call = callTo(server.url);
    const asking = call.post(request, signal);
    asking.catch(() => undefined);
    while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await call.close();
    await expect(asking).rejects.toMatchObject({ kind: "unavailable" });
    await server.requests[0]?.over;
    expect(server.requests[0]?.aborted).toBe(true);
  });
});
