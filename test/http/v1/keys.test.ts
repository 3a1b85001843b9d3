import { describe, expect, test } from "vitest";
import { newId } from "../../../src/core/ids.ts";
import { isWithin } from "../../../src/core/records/api-key.ts";
import { findKeyByHash } from "../../../src/store/postgres/api-keys.ts";
import { hashKey } from "../../../src/tenancy/keys/key-format.ts";
import { openTestServer, type TestKey } from "../../helpers/hosted-server.ts";
import { createRandom, testSeed } from "../../helpers/random.ts";
import { volume } from "../../helpers/volume.ts";

const { app, database, addKey } = await openTestServer();
const dayMs = 86_400_000;

const bearer = (apiKey: string) => ({ authorization: `Bearer ${apiKey}`, host: "mem.example" });

function mint(parent: Pick<TestKey, "apiKey">, body: unknown = {}) {
  return app.inject({
    method: "POST",
    url: "/v1/keys",
    headers: { ...bearer(parent.apiKey), "content-type": "application/json" },
    payload: JSON.stringify(body),
  });
}

function revoke(caller: Pick<TestKey, "apiKey">, id: string) {
  return app.inject({ method: "DELETE", url: `/v1/keys/${id}`, headers: bearer(caller.apiKey) });
}

async function listed(caller: Pick<TestKey, "apiKey">, query = ""): Promise<{ id: string }[]> {
  const answer = await app.inject({ url: `/v1/keys${query}`, headers: bearer(caller.apiKey) });
  expect(answer.statusCode).toBe(200);
  return answer.json().keys;
}

async function stored(apiKey: string) {
  const found = await findKeyByHash(database.system, hashKey(apiKey));
  if (found === undefined) throw new TypeError("the key is not stored");
  return found;
}

test("a minted key is shown once, reads, and writes nothing", async () => {
  const parent = await addKey({ team: "mint", project: "p" });
  const answer = await mint(parent, { label: "laptop", expiresInDays: 7 });
  expect(answer.statusCode).toBe(201);
  expect(answer.headers["cache-control"]).toBe("no-store");
  const made = answer.json();
  expect(made).toMatchObject({
    teamId: parent.team_id,
    projectId: parent.project_id,
    label: "laptop",
    scopes: ["memories:read"],
    mcpUrl: "http://mem.example/v1/mcp",
  });
  expect(made.connectCommand).toContain(made.apiKey);
  expect(Object.keys(made.connectCommands)).toEqual([
    "claude-code",
    "codex",
    "gemini-cli",
    "cursor",
    "opencode",
  ]);
  expect((await listed(made)).map(({ id }) => id)).toEqual([made.id]);
  expect((await mint(made)).statusCode).toBe(403);
});

test("no child reaches further or lives longer than its parent, whatever the body says", async () => {
  const random = createRandom(testSeed());
  const fields: Record<string, () => unknown> = {
    projectId: newId,
    teamId: newId,
    scopes: () => ["memories:read", "memories:write"],
    parentId: newId,
    id: newId,
    expiresAt: () => "2999-01-01T00:00:00Z",
    expiresInDays: () => random.pick<unknown>([-1, 0, 1, 90, 365, 366, 1e9, 1.5, "7", null, Number.NaN]),
    label: () => random.pick<unknown>(["", "x", "\0", "x".repeat(121), 7]),
    apiKey: () => "mem_x",
    revokedAt: () => null,
  };
  const seen = { made: 0, refused: 0 };
  for (let turn = volume(500, 150); turn > 0; turn -= 1) {
    const parent = await addKey({
      team: `team ${random.between(1, 3)}`,
      ...(random.next() < 0.5 ? { project: `project ${random.between(1, 3)}` } : {}),
      scopes: random.pick([
        ["memories:read"],
        ["memories:write"],
        ["memories:read", "memories:write"],
      ] as const),
      expiresInDays: random.between(1, 400),
    });
    const names = Object.keys(fields).filter(() => random.next() < 0.07);
    const answer = await mint(parent, Object.fromEntries(names.map((name) => [name, fields[name]?.()])));
    if (answer.statusCode !== 201) {
      expect([400, 403]).toContain(answer.statusCode);
      seen.refused += 1;
      continue;
    }
    seen.made += 1;
    const [child, above] = await Promise.all([stored(answer.json().apiKey), stored(parent.apiKey)]);
    expect(isWithin(child, above)).toBe(true);
    expect(child.scopes).toEqual(["memories:read"]);
    expect(child).toMatchObject({ project_id: above.project_id, parent_id: above.id });
    expect(child.expires_at_epoch).toBeLessThanOrEqual(above.expires_at_epoch);
    expect(child.expires_at_epoch).toBeLessThanOrEqual(child.created_at_epoch + 365 * dayMs + 60_000);
  }
  expect(seen.made).toBeGreaterThan(volume(50));
  expect(seen.refused).toBeGreaterThan(volume(50));
});

test("a key lives 90 days unless something else is asked for", async () => {
  const made = (await mint(await addKey({ team: "mint", expiresInDays: 300 }))).json();
  const { created_at_epoch, expires_at_epoch } = await stored(made.apiKey);
  expect(Math.round((expires_at_epoch - created_at_epoch) / dayMs)).toBe(90);
  expect(Date.parse(made.expiresAt)).toBe(expires_at_epoch);
});

describe("who reaches which key", async () => {
  const read = ["memories:read"] as const;
  const write = ["memories:write"] as const;
  const both = [...read, ...write] as const;
  const kinds = {
    team: await addKey({ team: "reach", scopes: both }),
    teamReader: await addKey({ team: "reach", scopes: read }),
    teamWriter: await addKey({ team: "reach", scopes: write }),
    project: await addKey({ team: "reach", project: "a", scopes: both }),
    projectReader: await addKey({ team: "reach", project: "a", scopes: read }),
    sibling: await addKey({ team: "reach", project: "b", scopes: both }),
    stranger: await addKey({ team: "elsewhere", scopes: both }),
  };
  type Kind = keyof typeof kinds;
  const reach: Record<Kind, Kind[]> = {
    team: ["team", "teamReader", "teamWriter", "project", "projectReader", "sibling"],
    teamReader: ["teamReader", "projectReader"],
    teamWriter: ["teamWriter"],
    project: ["project", "projectReader"],
    projectReader: ["projectReader"],
    sibling: ["sibling"],
    stranger: ["stranger"],
  };
  const reachable = (kind: Kind) => reach[kind].map((each) => kinds[each].id).sort();

  test.each(["team", "teamReader", "project", "projectReader", "sibling", "stranger"] as const)(
    "the list of the %s key",
    async (kind) => {
      expect((await listed(kinds[kind])).map(({ id }) => id).sort()).toEqual(reachable(kind));
    },
  );

  test("a key beyond reach is answered like one that never was, and lives on", async () => {
    const absent = await revoke(kinds.project, newId());
    expect(absent.statusCode).toBe(404);
    for (const caller of ["teamWriter", "project", "sibling", "stranger"] as const) {
      const beyond = (Object.keys(kinds) as Kind[]).filter((kind) => !reach[caller].includes(kind));
      for (const kind of beyond) {
        const answer = await revoke(kinds[caller], kinds[kind].id);
        expect([answer.statusCode, answer.body]).toEqual([404, absent.body]);
      }
    }
    for (const text of ["x", "'; drop table api_keys", "%00", newId().toUpperCase()]) {
      const answer = await revoke(kinds.team, encodeURIComponent(text));
      expect([answer.statusCode, answer.body]).toEqual([404, absent.body]);
    }
    for (const kind of ["team", "teamReader", "project", "sibling", "stranger"] as const)
      await listed(kinds[kind]);
  });

  test("a key within reach is revoked, once, and itself too", async () => {
    const doomed = await addKey({ team: "reach", project: "a", scopes: read });
    const [first, second] = [await revoke(kinds.project, doomed.id), await revoke(kinds.project, doomed.id)];
    expect(first.json()).toEqual({ revoked: true, id: doomed.id, revokedIds: [doomed.id] });
    expect(second.json()).toEqual({ revoked: true, id: doomed.id, revokedIds: [] });
    const own = await addKey({ team: "reach" });
    expect((await revoke(own, own.id)).statusCode).toBe(200);
    expect((await app.inject({ url: "/v1/keys", headers: bearer(own.apiKey) })).statusCode).toBe(401);
  });
});

test("revoking a parent revokes every key that descends from it, and no other", async () => {
  const [parent, other] = [await addKey({ team: "family" }), await addKey({ team: "family" })];
  const children = await Promise.all([mint(parent), mint(parent)]).then((all) =>
    all.map((each) => each.json()),
  );
  const grandchild = await addKey({ team: "family", parent_id: children[0].id });
  const ids = [parent.id, ...children.map(({ id }) => id), grandchild.id];
  const answer = await revoke(other, parent.id);
  expect(answer.json().revokedIds.sort()).toEqual(ids.sort());
  for (const { apiKey } of [parent, ...children, grandchild]) {
    expect((await app.inject({ url: "/v1/keys", headers: bearer(apiKey) })).statusCode).toBe(401);
  }
  await listed(other);
});

test("no child outlives a parent that is revoked while it is made", async () => {
  for (let turn = 0; turn < volume(20, 5); turn += 1) {
    const [parent, other] = [await addKey({ team: "race" }), await addKey({ team: "race" })];
    const [made] = await Promise.all([mint(parent), mint(parent), mint(parent), revoke(other, parent.id)]);
    expect([201, 401]).toContain(made.statusCode);
  }
  const { rows } = await database.system.query<{ orphans: number }>({
    text: `select count(*)::int as orphans
      from api_keys child
      join api_keys parent on parent.id = child.parent_id
      where parent.revoked_at is not null and child.revoked_at is null`,
  });
  expect(rows).toEqual([{ orphans: 0 }]);
});

test("concurrent mints stop at the limit and name keys to revoke", async () => {
  const parent = await addKey({ team: "many" });
  await database.system.query({
    text: `insert into api_keys (id, team_id, parent_id, key_hash, prefix, last_four, label, scopes, expires_at, revoked_at)
      select gen_random_uuid(), $1, $2, sha256(('many' || n)::bytea), 'mem_', 'xxxx', 'run ' || n, '{memories:read}',
        now() + case when n > 1100 then interval '-1 day' else interval '1 day' end,
        case when n > 995 and n <= 1100 then now() end
      from generate_series(1, 1200) n`,
    values: [parent.team_id, parent.id],
  });
  const answers = await Promise.all(Array.from({ length: 20 }, () => mint(parent)));
  expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(5);
  const refused = answers.find(({ statusCode }) => statusCode === 409)?.json().error;
  expect(refused).toMatchObject({ code: "conflict", details: { limit: 1_000 } });
  expect(refused.message).toContain("1000");
  expect(refused.hint).toContain("DELETE /v1/keys/");
  const [oldest] = refused.details.leastUsed;
  expect(oldest).toMatchObject({ label: expect.stringMatching(/^run /), lastUsedAt: null });
  expect((await revoke(parent, oldest.id)).statusCode).toBe(200);
  expect((await mint(parent)).statusCode).toBe(201);
  expect((await mint(await addKey({ team: "many" }))).statusCode).toBe(201);
});

test("a mint and a revocation are in the audit log, with ids and without the key", async () => {
  const parent = await addKey({ team: "audited", project: "p" });
  const made = (await mint(parent)).json();
  await revoke(parent, made.id);
  await revoke(parent, made.id);
  const { rows } = await database.system.query({
    text: `select action, project_id, api_key_id, resource_type, resource_id, request_id is not null as asked
      from audit_log where team_id = $1 order by seq`,
    values: [parent.team_id],
  });
  const common = {
    project_id: parent.project_id,
    api_key_id: parent.id,
    resource_type: "api_key",
    resource_id: made.id,
    asked: true,
  };
  expect(rows).toEqual([
    { action: "key.created", ...common },
    { action: "key.revoked", ...common },
  ]);
});

test("lists come in pages", async () => {
  const keys: TestKey[] = [];
  for (let made = 0; made < 5; made += 1) keys.push(await addKey({ team: "paged" }));
  const [caller] = keys;
  if (caller === undefined) throw new TypeError("no key was made");
  const newest = keys.map(({ id }) => id).reverse();
  expect((await listed(caller, "?limit=2")).map(({ id }) => id)).toEqual(newest.slice(0, 2));
  expect((await listed(caller, "?limit=2&offset=4")).map(({ id }) => id)).toEqual(newest.slice(4));
  for (const query of ["?limit=0", "?limit=201", "?offset=-1", "?all=true"]) {
    const answer = await app.inject({ url: `/v1/keys${query}`, headers: bearer(caller.apiKey) });
    expect(answer.statusCode).toBe(400);
  }
});

test("a key's use is written down", async () => {
  const key = await addKey({ team: "used" });
  await listed(key);
  await expect.poll(async () => (await stored(key.apiKey)).last_used_at_epoch).not.toBeNull();
});
