import { expect, test } from "vitest";
import { createClientAddress } from "../../../src/http/v1/client-address.ts";
import { openTestServer } from "../../helpers/hosted-server.ts";

const proxies = ["private", "203.0.113.0/28", "2001:db8:f::/48", "loopback"];
const request = (remoteAddress: string, forwarded?: string) => ({
  socket: { remoteAddress },
  headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
});

test("ignores forwarded addresses without named proxies", () => {
  const addressOf = createClientAddress([]);
  for (const peer of ["127.0.0.1", "10.0.0.1", "192.0.2.7"])
    expect(addressOf(request(peer, "198.51.100.1"))).toBe(peer);
});

test.each([
  ["the proxy's client", "10.0.0.1", "198.51.100.1", "198.51.100.1"],
  [
    "the proxy's client, where the socket takes both versions",
    "::ffff:10.0.0.1",
    "198.51.100.1",
    "198.51.100.1",
  ],
  ["the first that no proxy of ours has", "10.0.0.1", "6.6.6.6, 198.51.100.1, 203.0.113.3", "198.51.100.1"],
  ["the address without its port", "10.0.0.1", "198.51.100.1:4711", "198.51.100.1"],
  ["the address of version 6 without its port", "10.0.0.1", "[2001:db8:1::5]:4711", "2001:db8:1::5"],
  ["the client behind proxies of both versions", "127.0.0.1", "198.51.100.1, 2001:db8:f::9", "198.51.100.1"],
  ["a client of the proxies' own network, when it is alone", "10.0.0.1", "10.0.0.77", "10.0.0.77"],
  ["the peer, which is no proxy", "192.0.2.7", "198.51.100.1", "192.0.2.7"],
  ["the peer, when it says nothing", "10.0.0.1", undefined, "10.0.0.1"],
  ["the peer, when it says nothing readable", "10.0.0.1", "198.51.100.1, unknown", "10.0.0.1"],
  [
    "the nearest proxy before what is no address",
    "10.0.0.1",
    "6.6.6.6, <script>, 203.0.113.3",
    "203.0.113.3",
  ],
  ["the peer of a pipe", "", "198.51.100.1", ""],
])("the address is %s", (_what, peer, forwarded, address) => {
  expect(createClientAddress(proxies)(request(peer, forwarded))).toBe(address);
});

test.each([
  "10.0.0.0/33",
  "10.0.0.0/",
  "10.0.0.0/8/8",
  "10.0.0",
  "everybody",
  "fe80::1%eth0",
  "::/129",
  "0x7f.1",
])("a proxy %j that cannot be read stops the start", (proxy) => {
  expect(() => createClientAddress(["10.0.0.1", proxy])).toThrow(/MEM_TRUSTED_PROXIES/);
});

test("counts wrong keys per client behind a trusted proxy, else per proxy", async () => {
  const env = { MEM_AUTH_FAILURES_PER_MIN: "3" };
  const trusting = await openTestServer({ ...env, MEM_TRUSTED_PROXIES: "private" });
  const plain = await openTestServer(env);
  async function statuses({ app }: typeof plain, clients: readonly string[], remoteAddress = "10.0.0.1") {
    const found: number[] = [];
    for (const client of clients) {
      const headers = { authorization: "Bearer wrong", "x-forwarded-for": client };
      found.push((await app.inject({ url: "/v1/keys", headers, remoteAddress })).statusCode);
    }
    return found;
  }
  const four = ["198.51.100.1", "198.51.100.1", "198.51.100.1", "198.51.100.1"];
  expect(await statuses(trusting, four)).toEqual([401, 401, 401, 429]);
  expect(await statuses(trusting, ["198.51.100.2"])).toEqual([401]);
  const invented = ["1.1.1.1", "1.1.1.2", "1.1.1.3", "1.1.1.4"];
  expect(await statuses(plain, invented)).toEqual([401, 401, 401, 429]);
  expect(await statuses(trusting, invented, "192.0.2.7")).toEqual([401, 401, 401, 429]);
});
