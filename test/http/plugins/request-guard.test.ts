import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MemError } from "../../../src/core/errors.ts";
import { type RawAnswer, sendRaw } from "../../helpers/raw-http.ts";
import { someOf } from "../../helpers/volume.ts";
import { type FakeWorld, fakePort, fakeWorld, listenOnLoopback, local } from "../support.ts";

describe("over TCP", () => {
  let world: FakeWorld;
  let port: number;

  beforeAll(async () => {
    world = fakeWorld();
    port = await listenOnLoopback(world);
  });
  afterAll(() => world.app.close());
  const get = (lines: string[], target = "/api/version", version = "1.1"): Promise<RawAnswer> =>
    sendRaw(
      port,
      `GET ${target} HTTP/${version}\r\n${lines.map((line) => `${line}\r\n`).join("")}Connection: close\r\n\r\n`,
    );

  test.each([
    ["127.0.0.1", true],
    ["localhost", true],
    ["[::1]", true],
  ])("Host %s with the worker's port passes", async (name) => {
    expect((await get([`Host: ${name}:${port}`])).status).toBe(200);
  });
  const foreignHosts: ((port: number) => string)[] = [
    (p) => `evil.com:${p}`,
    () => "evil.com",
    (p) => `localhost.evil.com:${p}`,
    (p) => `127.0.0.1.nip.io:${p}`,
    (p) => `localhost@evil.com:${p}`,
    (p) => `evil.com@localhost:${p}`,
    (p) => `127.0.0.1:${p}:2`,
    () => "127.0.0.1:1:2",
    (p) => `LOCALHOST:${p}`,
    (p) => `localhost.:${p}`,
    (p) => `0.0.0.0:${p}`,
    (p) => `2130706433:${p}`,
    (p) => `0x7f000001:${p}`,
    (p) => `127.1:${p}`,
    (p) => `127.0.0.2:${p}`,
    (p) => `[::ffff:127.0.0.1]:${p}`,
    (p) => `[::]:${p}`,
    (p) => `::1:${p}`,
    () => "127.0.0.1",
    () => "localhost",
    () => "[::1]",
    (p) => `127.0.0.1:${p + 1}`,
    (p) => `127.0.0.1:0${p}`,
    (p) => `127.0.0.1:${p}/`,
    (p) => `http://127.0.0.1:${p}`,
    (p) => `127.0.0.1:${p},evil.com`,
    () => "",
  ];

  test.each(foreignHosts.map((host) => [host(65_000), host] as const))(
    "Host %s is refused",
    async (_name, host) => {
      const answer = await get([`Host: ${host(port)}`]);
      expect([400, 403]).toContain(answer.status);
      expect(answer.body).not.toContain("version");
    },
  );

  test.each([
    ["HTTP/1.0 without a Host", [], "1.0"],
    ["HTTP/1.1 without a Host", [], "1.1"],
    ["two Hosts, ours first", ["Host: 127.0.0.1:PORT", "Host: evil.com"], "1.1"],
    ["two Hosts, ours last", ["Host: evil.com", "Host: 127.0.0.1:PORT"], "1.1"],
    ["our Host twice", ["Host: 127.0.0.1:PORT", "hOsT: 127.0.0.1:PORT"], "1.1"],
  ])("%s is refused", async (_name, lines, version) => {
    const answer = await get(
      lines.map((line) => line.replace("PORT", String(port))),
      "/api/version",
      version,
    );
    expect(answer.status).toBe(403);
    expect(JSON.parse(answer.body)).toEqual(new MemError("host_not_allowed").toBody());
    expect(answer.headers.toLowerCase()).toContain("x-content-type-options: nosniff");
  });

  test.each(["http://evil.com/api/version", "http://127.0.0.1/api/version", "*", "evil.com:80"])(
    "the request target %s is refused",
    async (target) => {
      const answer = await get([`Host: 127.0.0.1:${port}`], target);
      expect([400, 403]).toContain(answer.status);
      expect(answer.body).not.toContain('"version"');
    },
  );
  const counts = [999, 1_000, 1_001, 1_023, 1_024, 1_025, 1_500, 1_999, 2_000, 2_001];
  const hostile = ["Host: evil.com", "Origin: http://evil.com", "Sec-Fetch-Site: cross-site"];
  // First, last, and on both sides of where Node stops to listen by itself.
  const places = (count: number) => [0, 1, 31, 500, 997, 998, 999, 1_000, 1_001, 1_022, 1_023, count - 3];

  test.each(counts)("with %i headers a hostile one is refused wherever it stands", async (count) => {
    for (const [turn, place] of places(count).entries()) {
      for (const header of place > count - 3 ? [] : someOf(hostile, turn + count)) {
        const lines = Array.from({ length: count - 3 }, () => "a:");
        lines.splice(place, 0, header);
        lines.splice(place === 0 ? 1 : 0, 0, `Host: 127.0.0.1:${port}`);
        const answer = await get(lines);
        expect([403, 431], `${header} at ${place}`).toContain(answer.status);
        expect(answer.body).not.toContain("version");
      }
    }
  });

  test.each([
    [999, 200],
    [1_000, 200],
    [1_001, 431],
    [2_001, 431],
  ])("%i harmless headers are answered with %i", async (count, status) => {
    const filler = Array.from({ length: count - 2 }, () => "a:");
    const answer = await get([`Host: 127.0.0.1:${port}`, ...filler]);
    expect(answer.status).toBe(status);
    if (status === 431) {
      expect(JSON.parse(answer.body)).toEqual(new MemError("too_many_headers").toBody());
      expect(answer.headers.toLowerCase()).toContain("x-content-type-options: nosniff");
    }
  });

  test("HTTP/1.0 with the right Host passes", async () => {
    expect((await get([`Host: 127.0.0.1:${port}`], "/api/version", "1.0")).status).toBe(200);
  });

  test("a foreign Host is refused before a bad path or an unknown route is looked at", async () => {
    for (const target of ["/%zz", "/nope", "/api/observation/x"]) {
      expect((await get(["Host: evil.com"], target)).status).toBe(403);
    }
  });

  test("the worker's own origin passes, and every other is refused, on /stream too", async () => {
    const own = await get([`Host: 127.0.0.1:${port}`, `Origin: http://127.0.0.1:${port}`]);
    expect(own.status).toBe(200);
    for (const origin of foreignOrigins(port)) {
      const answer = await get([`Host: 127.0.0.1:${port}`, `Origin: ${origin}`], "/stream");
      expect(answer.status, origin).toBe(403);
    }
    expect(world.hub.clientCount()).toBe(0);
  });

  test("no answer has an access-control header; all have the three security headers", async () => {
    const answers = [
      await get([`Host: 127.0.0.1:${port}`]),
      await get([`Host: 127.0.0.1:${port}`], "/nope"),
      await get([`Host: 127.0.0.1:${port}`], "/%zz"),
      await get(["Host: evil.com"]),
      await get([`Host: 127.0.0.1:${port}`, "Origin: http://evil.com"]),
    ];
    for (const { headers } of answers) {
      const lower = headers.toLowerCase();
      expect(lower).not.toContain("access-control");
      expect(lower).toContain("cross-origin-resource-policy: same-origin");
      expect(lower).toContain("x-content-type-options: nosniff");
      expect(lower).toContain("referrer-policy: no-referrer");
    }
  });

  test.each([
    ["GET", "none", 200],
    ["GET", "same-origin", 200],
    ["GET", "same-site", 403],
    ["GET", "cross-site", 403],
    ["GET", "same-origin, cross-site", 403],
    ["GET", "", 403],
    ["POST", "none", 403],
    ["POST", "same-origin", 200],
  ])("%s with Sec-Fetch-Site %s answers %i", async (method, site, status) => {
    const url = method === "GET" ? "/api/version" : "/api/settings";
    const body = method === "GET" ? {} : { payload: {} };
    const answer = await world.app.inject({
      method: method === "GET" ? "GET" : "POST",
      url,
      headers: { host: `127.0.0.1:${port}`, "sec-fetch-site": site },
      ...body,
    });
    expect(answer.statusCode).toBe(status);
  });

  test("OPTIONS and HEAD answer 404, so no preflight passes", async () => {
    for (const method of ["OPTIONS", "HEAD"] as const) {
      const answer = await world.app.inject({
        method,
        url: "/api/sessions/observations",
        headers: { host: `127.0.0.1:${port}` },
      });
      expect(answer.statusCode).toBe(404);
    }
  });
});

describe("peers", () => {
  const world = fakeWorld();
  afterAll(() => world.app.close());

  test.each(["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"])(
    "%s is this machine",
    async (remoteAddress) => {
      const answer = await world.app.inject({ url: "/api/version", headers: local, remoteAddress });
      expect(answer.statusCode).toBe(200);
    },
  );
  const forwarding = [
    "x-forwarded-for",
    "x-forwarded-host",
    "x-real-ip",
    "forwarded",
    "x-client-ip",
    "cf-connecting-ip",
    "true-client-ip",
    "x-cluster-client-ip",
    "x-forwarded",
    "forwarded-for",
    "via",
    "x-original-forwarded-for",
  ];

  test.each(["192.168.1.7", "10.0.0.1", "::ffff:192.168.1.7", "fe80::1", "128.0.0.1", "::2"])(
    "%s is refused whatever its headers say, known route or not",
    async (remoteAddress) => {
      for (const name of ["", ...forwarding]) {
        for (const url of ["/api/version", "/nope", "/%zz"]) {
          const headers = { ...local, ...(name === "" ? {} : { [name]: "127.0.0.1" }) };
          const answer = await world.app.inject({ url, headers, remoteAddress });
          expect(answer.statusCode).toBe(403);
          expect(answer.json()).toMatchObject({ error: { code: "remote_not_allowed" } });
        }
      }
    },
  );

  test("a loopback peer that forwards its public host name is refused", async () => {
    const headers = { host: "my-tunnel.example", "x-forwarded-for": "127.0.0.1" };
    const answer = await world.app.inject({ url: "/api/version", headers });
    expect(answer.json()).toMatchObject({ error: { code: "host_not_allowed" } });
  });

  test("a wildcard bind address is not an allowed Host, a configured name is", async () => {
    for (const [host, status] of [
      ["0.0.0.0", 403],
      ["::", 403],
      ["mem.local", 200],
      ["fd00::1", 200],
    ] as const) {
      const named = fakeWorld({ override: { address: () => ({ host, port: fakePort }) } });
      const authority = host.includes(":") ? `[${host}]:${fakePort}` : `${host}:${fakePort}`;
      const answer = await named.app.inject({ url: "/api/version", headers: { host: authority } });
      expect(answer.statusCode, host).toBe(status);
      await named.app.close();
    }
  });
});

describe("over the socket file", () => {
  const directory = mkdtempSync(join(tmpdir(), "mem-door-"));
  const path = join(directory, "s");
  let world: FakeWorld;
  let listener: Server;

  beforeAll(async () => {
    world = fakeWorld();
    await world.app.ready();
    listener = createServer({ allowHalfOpen: true }, (connection) => world.acceptPipe(connection));
    await new Promise<void>((resolve) => listener.listen(path, resolve));
  });
  afterAll(async () => {
    await new Promise((resolve) => listener.close(resolve));
    await world.app.close();
    rmSync(directory, { recursive: true, force: true });
  });

  test.each([
    [{ host: "localhost" }, 200],
    [{ host: "localhost:80" }, 403],
    [{ host: "evil.com" }, 403],
    [{ host: `127.0.0.1:${fakePort}` }, 403],
    [{ host: "localhost", origin: "http://localhost" }, 403],
    [{ host: "localhost", "sec-fetch-site": "cross-site" }, 403],
  ])("%j answers %i", async (headers, status) => {
    const answered = await new Promise<number | undefined>((resolve, reject) => {
      const sent = request({ socketPath: path, path: "/api/version", headers, agent: false }, (response) => {
        response.resume().on("end", () => resolve(response.statusCode));
      });
      sent.on("error", reject).end();
    });
    expect(answered).toBe(status);
  });
});

describe("every route that changes something", () => {
  test("runs no handler for a page of another site, whatever the body's shape", async () => {
    const world = fakeWorld();
    await world.app.ready();
    const writes = world.routes.filter(({ method }) => method !== "GET");
    expect(writes.length).toBeGreaterThanOrEqual(12);
    for (const [route, { method, url }] of writes.entries()) {
      for (const [shape, [contentType, payload]] of bodyShapes.entries()) {
        for (const headers of someOf(foreignPages, shape + route, 2)) {
          const answer = await world.app.inject({
            method: methodOf(method),
            url: url.replace(/:\w+/g, "1"),
            headers: { ...local, ...headers, ...(contentType === "" ? {} : { "content-type": contentType }) },
            payload,
          });
          expect(answer.statusCode).toBe(403);
        }
      }
    }
    expect(world.calls).toEqual([]);
    await world.app.close();
  });

  test("runs no handler for a body that is not JSON, even without an Origin", async () => {
    const world = fakeWorld();
    await world.app.ready();
    for (const { method, url } of world.routes.filter((route) => route.method !== "GET")) {
      for (const [contentType, payload] of bodyShapes) {
        if (contentType.startsWith("application/json") || payload === "") continue;
        const answer = await world.app.inject({
          method: methodOf(method),
          url: url.replace(/:\w+/g, "1"),
          headers: { ...local, ...(contentType === "" ? {} : { "content-type": contentType }) },
          payload,
        });
        expect(answer.statusCode, contentType).toBe(415);
      }
    }
    expect(world.calls).toEqual([]);
    await world.app.close();
  });
});

function methodOf(method: string | string[]): "POST" | "PATCH" | "DELETE" | "PUT" {
  if (method === "POST" || method === "PATCH" || method === "DELETE" || method === "PUT") return method;
  throw new TypeError(`no test asks with ${String(method)}`);
}

function foreignOrigins(port: number): string[] {
  return [
    "http://evil.com",
    "null",
    "file://",
    `http://127.0.0.1:${port}.evil.com`,
    `http://127.0.0.1:${port + 1}`,
    `https://127.0.0.1:${port}`,
    `http://localhost:${port}`,
    `http://127.0.0.1:${port}/`,
    "",
  ];
}

const valid = JSON.stringify({
  claudeSessionId: "c",
  prompt: "p",
  tool_name: "Bash",
  title: "t",
  sidebarOpen: true,
});

const bodyShapes: [contentType: string, payload: string][] = [
  ["application/json", valid],
  ["application/json; charset=utf-8", valid],
  ["application/json", ""],
  ["text/plain", valid],
  ["text/plain;charset=UTF-8", valid],
  ["text/plain; application/json", valid],
  ["text/json", valid],
  ["text/html", valid],
  ["application/x-www-form-urlencoded", "claudeSessionId=c"],
  ["multipart/form-data; boundary=x", '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\nb\r\n--x--'],
  ["application/octet-stream", valid],
  ["application/xml", "<a/>"],
  ["application/ld+json", valid],
  ["application/csp-report", valid],
  ["application/javascript", valid],
  ["", valid],
  ["", ""],
  ["garbage", valid],
];

const foreignPages: Record<string, string>[] = [
  ...foreignOrigins(fakePort).map((origin) => ({ origin })),
  { "sec-fetch-site": "cross-site" },
  { "sec-fetch-site": "same-site" },
  { "sec-fetch-site": "none" },
];
