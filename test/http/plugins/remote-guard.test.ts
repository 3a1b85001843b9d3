import { once } from "node:events";
import { connect } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import * as fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import {
  createDenialLog,
  denialOf,
  loggedPath,
  tokenDigest,
} from "../../../src/http/plugins/remote-guard.ts";
import { volume } from "../../helpers/volume.ts";
import { type FakeWorld, fakePort } from "../support.ts";
import { bytesOf, displayPaths, displayRequest, mutatedRequests, mutations } from "./display-requests.ts";
import { closeWorlds, listening, openWorld, remoteAddress, token, withToken } from "./open-worlds.ts";

const anyHost = { host: "tv.example" };

afterEach(closeWorlds);

/** The status of the first answer; 0 when the connection ended without one. */
async function firstStatus(host: string, port: number, bytes: string): Promise<number> {
  const socket = connect(port, host);
  socket.on("error", () => undefined);
  socket.setTimeout(10_000, () => socket.destroy());
  let text = "";
  socket.on("data", (chunk) => {
    text += String(chunk);
    if (text.includes("\r\n")) socket.destroy();
  });
  socket.end(bytes);
  await once(socket, "close");
  return Number(/^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1] ?? 0);
}

const isDisplay = (path: string, query: string) =>
  displayPaths.includes(`${path}${query}`.split("?")[0] ?? "");

describe("targets with a valid token", () => {
  const mutants = volume(100_000);
  const sentRequests = volume(1_000, 300);

  test(`only the four exact targets pass, in ${mutants} mutated requests`, () => {
    let passed = 0;
    void fc.assert(
      fc.property(mutatedRequests(token), ({ method, path, query, headers }) => {
        const denial = denialOf({ method, url: path + query, rawHeaders: headers.flat() }, withToken);
        if (denial === undefined) passed += 1;
        const isAllowed = method === "GET" && isDisplay(path, query);
        // A `?` in the path moves the token's parameter into another one.
        return denial === undefined ? isAllowed : !isAllowed || denial === "token";
      }),
      { numRuns: mutants },
    );
    expect(passed).toBeGreaterThan(volume(100));
  });

  test(`over sockets only the four exact targets answer 200, in ${sentRequests} requests`, async () => {
    const port = await listening(openWorld(withToken), "127.0.0.1", true);
    const requests = fc.sample(mutatedRequests(token), sentRequests);
    let answered = 0;
    for (let at = 0; at < requests.length; at += 50) {
      const batch = requests.slice(at, at + 50);
      await Promise.all(
        batch.map(async (request) => {
          const status = await firstStatus("127.0.0.1", port, bytesOf(request, "tv.example"));
          const { method, path, query } = request;
          if (status !== 200) return expect([0, 400, 401, 403, 404, 417, 501, 505]).toContain(status);
          answered += 1;
          expect(request).toMatchObject({ method: "GET", preface: "" });
          expect(isDisplay(path, query), `${method} ${path}`).toBe(true);
        }),
      );
    }
    expect(answered).toBeGreaterThan(volume(10));
  });

  test.each(Object.keys(mutations))("%s changes the answer of no other target", async (name) => {
    const world = openWorld(withToken);
    const port = await listening(world, "127.0.0.1", true);
    for (const path of displayPaths) {
      for (const pick of fc.sample(fc.nat(40), volume(6, 2))) {
        const plain = displayRequest(path, token, true);
        const changed = { ...plain, ...mutations[name]?.(plain, pick) };
        const status = await firstStatus("127.0.0.1", port, bytesOf(changed, "tv.example"));
        const isSame =
          changed.method === "GET" && changed.preface === "" && isDisplay(changed.path, changed.query);
        expect(status === 200, `${changed.method} ${changed.path}`).toBe(isSame);
      }
    }
  });
});

describe("another machine, with a token set", () => {
  const ask = async (
    world: FakeWorld,
    request: {
      method?: "GET" | "POST" | "HEAD" | "OPTIONS" | "DELETE";
      url: string;
      headers?: Record<string, string | string[]>;
    },
  ) => {
    const { method = "GET", url, headers = {} } = request;
    // The stream never ends by itself, so it is asked for over sockets only.
    return world.app.inject({ method, url, headers: { ...anyHost, ...headers }, remoteAddress });
  };

  test.each(["/tv", "/tv.html", "/api/observations"])("%s answers, and is not stored", async (url) => {
    const answer = await ask(openWorld(withToken), { url: `${url}?token=${token}&project=alpha` });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers["cache-control"]).toBe("no-store");
    expect(answer.headers.etag).toBeUndefined();
    expect(answer.headers["referrer-policy"]).toBe("no-referrer");
  });

  test("what is wrong first decides: method 403, then target 404, then token 401", async () => {
    const world = openWorld(withToken);
    const rows: [Parameters<typeof ask>[1], number][] = [
      [{ method: "POST", url: "/nope" }, 403],
      [{ method: "POST", url: `/tv?token=${token}` }, 403],
      [{ method: "HEAD", url: `/tv?token=${token}` }, 403],
      [{ method: "OPTIONS", url: `/tv?token=${token}` }, 403],
      [{ method: "DELETE", url: "/api/observations" }, 403],
      [{ url: "/" }, 404],
      [{ url: `/?token=${token}` }, 404],
      [{ url: `/tv/?token=${token}` }, 404],
      [{ url: `/TV?token=${token}` }, 404],
      [{ url: `/api/observations/by-file?token=${token}` }, 404],
      [{ url: `/api/settings?token=${token}` }, 404],
      [{ url: `/assets/viewer-3c4d.js?token=${token}` }, 404],
      [{ url: "/%zz" }, 404],
      [{ url: "/tv" }, 401],
      [{ url: "/stream" }, 401],
      [{ url: "/api/observations?token=wrong" }, 401],
    ];
    for (const [request, status] of rows) {
      const answer = await ask(world, request);
      expect([request, answer.statusCode]).toEqual([request, status]);
      expect(answer.headers["cache-control"]).toBe("no-store");
    }
    expect(world.calls).toEqual([]);
  });

  test("each of the three carriers is accepted alone", async () => {
    const world = openWorld(withToken);
    const carriers = [
      { url: `/tv?token=${token}` },
      { url: `/tv?a=b&token=${encodeURIComponent(token)}` },
      { url: `/tv?token=%30${token.slice(1)}` },
      { url: "/tv", headers: { authorization: `Bearer ${token}` } },
      { url: "/tv", headers: { authorization: `bearer ${token}` } },
      { url: "/tv", headers: { "x-api-key": token } },
    ];
    for (const carrier of carriers) expect((await ask(world, carrier)).statusCode).toBe(200);
  });

  test("a token that is wrong, cut, typed or repeated is 401", async () => {
    const world = openWorld(withToken);
    const refused = [
      { url: "/tv?token=" },
      { url: "/tv?token" },
      { url: `/tv?Token=${token}` },
      { url: `/tv?token[x]=${token}` },
      { url: `/tv?token[]=${token}` },
      { url: `/tv?token%20=${token}` },
      { url: `/tv?token=${token}&token=${token}` },
      { url: `/tv?token=${token}&token=x` },
      { url: `/tv?token=x&token=${token}` },
      { url: `/tv?token=${token}&token=` },
      { url: `/tv?token=${token}&%74oken=${token}` },
      { url: `/tv?token=${token}`, headers: { "x-api-key": token } },
      { url: `/tv?token=${token}`, headers: { authorization: `Bearer ${token}` } },
      { url: `/tv?token=${token}`, headers: { authorization: "Basic x" } },
      { url: "/tv", headers: { authorization: `Bearer ${token}`, "x-api-key": token } },
      { url: "/tv", headers: { "x-api-key": [token, token] } },
      { url: "/tv", headers: { authorization: [`Bearer ${token}`, `Bearer ${token}`] } },
      { url: "/tv", headers: { authorization: token } },
      { url: "/tv", headers: { authorization: `Bearer  ${token}` } },
      { url: "/tv", headers: { authorization: `Bearer ${token} x` } },
      { url: "/tv", headers: { authorization: `Token ${token}` } },
      { url: "/tv", headers: { "x-api-key": ` ${token}x` } },
      { url: "/tv", headers: { cookie: `token=${token}` } },
      ...[0, 1, 42, 43, 44, 10_000].map((length) => ({
        url: "/tv",
        headers: { "x-api-key": "x".repeat(length) },
      })),
      { url: `/tv?token=${encodeURIComponent("té\u0000кен")}` },
      { url: `/tv?token=${token.toLowerCase()}` },
      { url: `/tv?token=${token}%00` },
      { url: "/tv?token=%" },
    ];
    for (const request of refused) {
      const answer = await ask(world, request);
      expect([request, answer.statusCode]).toEqual([request, 401]);
      expect(answer.json().error.code).toBe("unauthenticated");
    }
  });

  test("the same texts come back whatever was asked", async () => {
    const world = openWorld(withToken);
    const bodies = async (requests: Parameters<typeof ask>[1][]) =>
      new Set(await Promise.all(requests.map(async (request) => (await ask(world, request)).body)));
    expect((await bodies(["/x", "/y?a=b", "/%zz", "/api/stats"].map((url) => ({ url })))).size).toBe(1);
    expect((await bodies([{ url: "/tv" }, { url: "/stream?token=y" }])).size).toBe(1);
  });

  test("a page of another site is refused, with the token too", async () => {
    const world = openWorld(withToken);
    const pages = [
      { origin: "http://evil.example" },
      { origin: "null" },
      { origin: "http://undefined" },
      { "sec-fetch-site": "cross-site" },
    ];
    for (const headers of pages) {
      const answer = await ask(world, { url: `/tv?token=${token}`, headers });
      expect(answer.json()).toMatchObject({ error: { code: "origin_not_allowed" } });
    }
    const own = await ask(world, { url: `/tv?token=${token}`, headers: { origin: "http://tv.example" } });
    expect(own.statusCode).toBe(200);
  });

  test("forwarding headers never make it this machine", async () => {
    const world = openWorld(withToken);
    for (const name of [
      "x-forwarded-for",
      "forwarded",
      "x-real-ip",
      "x-forwarded-host",
      "via",
      "x-client-ip",
    ]) {
      const headers = { [name]: name === "forwarded" ? "for=127.0.0.1" : "127.0.0.1" };
      expect((await ask(world, { url: "/api/settings", headers })).statusCode).toBe(404);
      expect((await ask(world, { url: "/tv", headers })).statusCode).toBe(401);
    }
  });

  test("this machine needs no token, and a tunnel's public name stays refused", async () => {
    const world = openWorld(withToken);
    const local = { host: `127.0.0.1:${fakePort}` };
    for (const url of ["/", "/tv", "/api/settings"]) {
      for (const peer of ["127.0.0.1", "::1", "::ffff:127.0.0.1"]) {
        const answer = await world.app.inject({ url, headers: local, remoteAddress: peer });
        expect(answer.statusCode).toBe(200);
      }
      const tunneled = await world.app.inject({ url, headers: { host: "my-tunnel.example" } });
      expect(tunneled.json()).toMatchObject({ error: { code: "host_not_allowed" } });
    }
  });
});

describe("another machine, without a token", () => {
  const authorities: [host: string, status: number][] = [
    [`192.168.1.20:${fakePort}`, 200],
    [`[fd00::20]:${fakePort}`, 200],
    [`${hostname()}:${fakePort}`, 200],
    [`${hostname().toUpperCase()}.LOCAL:${fakePort}`, 200],
    [`localhost:${fakePort}`, 200],
    [`box.example:${fakePort}`, 200],
    [`evil.example:${fakePort}`, 403],
    [`192.168.1.20.nip.io:${fakePort}`, 403],
    [`${hostname()}.evil.example:${fakePort}`, 403],
    [`192.168.1.20:${fakePort + 1}`, 403],
    ["192.168.1.20", 403],
    [`2130706433:${fakePort}`, 403],
    [`192.168.1.20:${fakePort}:1`, 403],
    [`a@192.168.1.20:${fakePort}`, 403],
    ["", 403],
  ];

  test.each(authorities)("Host %s answers %i", async (host, status) => {
    const world = openWorld({ is: "open" }, { host: "Box.example" });
    const answer = await world.app.inject({ url: "/api/version", headers: { host }, remoteAddress });
    expect(answer.statusCode).toBe(status);
    if (status === 403) expect(answer.json().error.hint).toContain(`with port ${fakePort}`);
  });

  test("the whole API answers, and other sites stay refused", async () => {
    const world = openWorld({ is: "open" });
    const headers = { host: `192.168.1.20:${fakePort}` };
    for (const url of ["/", "/api/settings", "/api/observations/by-file?path=a"]) {
      expect((await world.app.inject({ url, headers, remoteAddress })).statusCode).toBe(200);
    }
    for (const foreign of [{ origin: "http://evil.example" }, { "sec-fetch-site": "cross-site" }]) {
      const request = { method: "POST", url: "/api/settings", payload: {}, remoteAddress } as const;
      const answer = await world.app.inject({ ...request, headers: { ...headers, ...foreign } });
      expect(answer.json()).toMatchObject({ error: { code: "origin_not_allowed" } });
    }
    expect(world.calls).toHaveLength(1);
  });
});

describe("a real connection from another address of this machine", () => {
  const own = Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === "IPv4" && !one.internal)?.address;

  test.runIf(own !== undefined)("is gated by the token, and loopback on the same port is not", async () => {
    const port = await listening(openWorld(withToken), "0.0.0.0", false);
    const get = (path: string, host: string) =>
      firstStatus(host, port, `GET ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\n\r\n`);
    const address = own ?? "";
    for (const path of ["/tv", "/stream", "/api/observations"]) {
      expect(await get(`${path}?token=${token}`, address)).toBe(200);
      expect(await get(path, address)).toBe(401);
    }
    expect(await get(`/?token=${token}`, address)).toBe(404);
    expect(await get("/api/settings", address)).toBe(404);
    expect(await get("/api/settings", "127.0.0.1")).toBe(200);
  });
});

describe("the log of denials", () => {
  test("has reason and path of a denial", async () => {
    const world = openWorld(withToken);
    await world.app.inject({ url: "/api/settings?a=b", headers: anyHost, remoteAddress });
    expect(world.log.map((line) => JSON.parse(line))).toMatchObject([
      { reason: "path", path: "/api/settings" },
    ]);
  });

  test("has 20 lines a minute in a flood, and then the number of the others", () => {
    let now = 0;
    const lines: { reason: string; unlogged?: number }[] = [];
    const log = createDenialLog((fields) => void lines.push(fields), { monotonicMs: () => now });
    for (let n = 0; n < 5_000; n++) log("token", "/tv");
    expect(lines).toHaveLength(20);
    now = 60_000;
    log("path", "/x");
    expect(lines.at(-1)).toEqual({ reason: "path", path: "/x", unlogged: 4_980 });
  });

  test.each([
    ["/tv?token=x", "/tv"],
    ["/tv%3ftoken=x", "/tv"],
    ["/tv;token=x", "/tv"],
    ["http://a/tv?token=x", ""],
    ["/a\nb", "/a"],
    ["/api/observations/12/text", "/api/observations/12/text"],
    ["/tv.html", "/tv.html"],
    [`/tv/${token}?a=b`, "/tv/"],
    [`/tv${token}`, "/"],
    [`/tv,${token}`, "/tv"],
    [`/${token}/tv`, "/"],
    ["/0abcdefghijklmnopqrstuvwxyz0123456789abcdef", "/"],
    [`${"/a".repeat(100)}`, "/a".repeat(8)],
  ])("the path of %j is %j", (url, path) => {
    expect(loggedPath(url)).toBe(path);
  });
});

test("a token is compared in full whatever the access is", () => {
  const request = { method: "GET", url: `/tv?token=${token}`, rawHeaders: [] };
  expect(denialOf(request, { is: "token", sha256: tokenDigest("") })).toBe("token");
  expect(denialOf(request, { is: "closed" })).toBe("closed");
  expect(denialOf(request, { is: "open" })).toBeUndefined();
});
