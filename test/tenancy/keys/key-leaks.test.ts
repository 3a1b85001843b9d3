import { Writable } from "node:stream";
import { pino } from "pino";
import { expect, test } from "vitest";
import { openTestServer } from "../../helpers/hosted-server.ts";

const lines: string[] = [];
const log = pino(
  { level: "trace" },
  new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  }),
);
const { app, database, addKey } = await openTestServer({ MEM_AUTH_FAILURES_PER_MIN: "3" }, log);

// Every row of every table, as the owner's text of it.
async function wholeDatabase(): Promise<string> {
  const { rows } = await database.owner.query<{ name: string }>(
    `select quote_ident(schemaname) || '.' || quote_ident(tablename) as name
      from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  const texts: string[] = [];
  await database.owner.query("set row_security = off");
  for (const { name } of rows) {
    const all = await database.owner.query<{ row: string }>(`select t::text as row from ${name} t`);
    texts.push(...all.rows.map(({ row }) => row));
  }
  return texts.join("\n");
}

test("the text of a key stands in the answer that mints it and nowhere else", async () => {
  const parent = await addKey({ team: "leaks" });
  const call = (apiKey: string, method: "GET" | "POST" | "DELETE", url: string, payload?: object) =>
    app.inject({
      method,
      url,
      headers: { authorization: `Bearer ${apiKey}` },
      ...(payload === undefined ? {} : { payload }),
    });
  const minted = (await call(parent.apiKey, "POST", "/v1/keys", { label: "a laptop" })).json();
  const keys = [parent.apiKey, minted.apiKey];
  const bodies: string[] = [];
  for (const key of keys) {
    for (const answer of [
      await call(key, "GET", "/v1/keys"),
      await call(key, "GET", "/v1/connect"),
      await call(key, "GET", `/v1/keys?key=${key}`),
      await call(key, "DELETE", `/v1/keys/${key}`),
      await call(key, "GET", `/nowhere/${key}`),
      await call(`${key}x`, "GET", "/v1/keys"),
      await call(key, "POST", "/v1/keys", { [key]: key }),
    ]) {
      bodies.push(answer.body, JSON.stringify(answer.headers));
    }
  }
  // A label is the user's own words: a key in it is redacted like everywhere else.
  bodies.push(
    (await call(parent.apiKey, "POST", "/v1/keys", { label: `for ${minted.apiKey}` })).json().label,
  );
  const places = { answers: bodies.join("\n"), database: await wholeDatabase(), log: lines.join("\n") };
  expect(places.database).toContain(minted.id);
  expect(places.database).toContain("a laptop");
  for (const [place, text] of Object.entries(places)) {
    for (const key of keys) expect([place, text.includes(key.slice(4, 40))]).toEqual([place, false]);
  }
});
