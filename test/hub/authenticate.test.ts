import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { makeToken } from "../../src/hub/token.ts";
import { sendRaw } from "../helpers/raw-http.ts";
import { get, headersOf, newAccount, newToken, testHubs } from "./hub-rig.ts";

const url = "/v1/sync/status";

describe.each(testHubs)("a token of the hub on $name", async ({ open }) => {
  const hub = await open();

  test("that is missing, malformed, unknown or revoked gets the same answer", async () => {
    const account = await newAccount(hub);
    const revoked = { ...account, ...(await newToken(hub.store, account.id)) };
    await hub.store.revokeToken(revoked.token_id, systemClock.now());
    const headers = headersOf(account, "a");
    const { authorization: _none, ...without } = headers;
    const wrong = ["Bearer x", `Bearer ${makeToken()}`, `Bearer ${revoked.token}`, `Basic ${account.token}`];
    const answers = await Promise.all([
      get(hub, without, url),
      ...wrong.map((authorization) => get(hub, { ...headers, authorization }, url)),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 401));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(answers[0]?.body.error.hint).toContain("mem hub account token");
    expect((await get(hub, headers, url)).status).toBe(200);
  });

  test("needs the account's id beside it", async () => {
    const account = await newAccount(hub);
    const { "x-user-id": _id, ...without } = headersOf(account, "a");
    expect((await get(hub, without, url)).status).toBe(400);
    for (const id of ["", account.name, `${account.id}, ${account.id}`, account.id.toUpperCase(), "0"]) {
      const { status, body } = await get(hub, { ...without, "x-user-id": id }, url);
      expect([status, body.error.code], id).toEqual([403, "account_mismatch"]);
    }
  });

  test("is listed without its secret, with its use and its end", async () => {
    const account = await newAccount(hub);
    expect(await hub.store.tokens(account.id)).toMatchObject([
      { last_used_at_epoch: null, revoked_at_epoch: null },
    ]);
    await get(hub, headersOf(account, "a"), url);
    expect(await hub.store.revokeToken(account.token_id, 5)).toBe(true);
    expect(await hub.store.revokeToken(account.token_id, 6)).toBe(false);
    expect(await hub.store.revokeToken("no id", 6)).toBeUndefined();
    const [token] = await hub.store.tokens(account.id);
    expect(token).toMatchObject({ last_used_at_epoch: expect.any(Number), revoked_at_epoch: 5 });
    expect(account.token).toContain(token?.prefix);
    expect(JSON.stringify(token)).not.toContain(account.token.slice(12, -4));
  });
});

describe.each(testHubs)("the limits of the hub on $name", async ({ open }) => {
  const hub = await open({ MEM_AUTH_FAILURES_PER_MIN: "5", MEM_HUB_RATE_LIMIT_PER_MIN: "20" });

  test("refuse an address with too many wrong tokens, but no token that was valid", async () => {
    const account = await newAccount(hub);
    const headers = headersOf(account, "a");
    expect((await get(hub, headers, url)).status).toBe(200);
    const wrong = { ...headers, authorization: `Bearer ${makeToken()}` };
    const answers = [];
    for (let turn = 0; turn < 8; turn += 1) answers.push(await get(hub, wrong, url));
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
    expect(answers.at(-1)?.body.error.details.retryAfterSeconds).toBeGreaterThan(0);
    expect((await get(hub, headers, url)).status).toBe(200);
  });

  test("refuse an account with too many requests, and no other account", async () => {
    const [account, other] = [await newAccount(hub), await newAccount(hub)];
    const ask = (of: typeof account) => hub.app.inject({ url, headers: headersOf(of, "a") });
    for (let turn = 0; turn < 20; turn += 1) expect((await ask(account)).statusCode).toBe(200);
    const refused = await ask(account);
    expect(refused.statusCode).toBe(429);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    expect((await ask(other)).statusCode).toBe(200);
  });

  test("read no body before the token is checked", async () => {
    const port = Number(new URL(await hub.app.listen({ host: "127.0.0.1", port: 0 })).port);
    const head = "POST /v1/sync/ops HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
    const answer = await sendRaw(port, `${head}Content-Length: 8000000\r\nConnection: close\r\n\r\n{`, 500);
    expect(answer.status).toBe(401);
  });
});
