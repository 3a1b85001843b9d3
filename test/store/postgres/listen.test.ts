import { expect, onTestFinished, test } from "vitest";
import type { Listening } from "../../../src/store/postgres/listen.ts";
import { openDatabase } from "../../../src/store/postgres/open.ts";
import { openTestDatabase } from "../../helpers/postgres.ts";

const database = await openTestDatabase();

function listener(url = database.url) {
  const opened = openDatabase({ url, onConnectionLost: () => undefined });
  const heard: string[] = [];
  const states: string[] = [];
  const listening: Listening = opened.listen({
    channel: "a_channel",
    hear: (payload) => heard.push(payload),
    onListening: () => states.push("listening"),
    onDeaf: () => states.push("deaf"),
  });
  onTestFinished(async () => {
    await listening.close();
    await opened.close();
  });
  return { heard, states, listening };
}

const notify = (payload: string) =>
  database.app.query({ text: "select pg_notify('a_channel', $1)", values: [payload] });

async function connections(): Promise<number[]> {
  const { rows } = await database.owner.query<{ pid: number }>(
    "select pid from pg_stat_activity where datname = current_database() and query like 'listen %a_channel%'",
  );
  return rows.map(({ pid }) => pid);
}

test("what is notified is heard as soon as it is committed", async () => {
  const { heard, states, listening } = listener();
  await listening.tried;
  expect(states).toEqual(["listening"]);
  await notify("one");
  await notify("two");
  await expect.poll(() => heard).toEqual(["one", "two"]);
});

test("a connection that is killed comes back, says so once each, and hears again", async () => {
  const { heard, states, listening } = listener();
  await listening.tried;
  for (const pid of await connections()) await database.owner.query("select pg_terminate_backend($1)", [pid]);
  await expect.poll(() => states).toEqual(["listening", "deaf", "listening"]);
  await notify("again");
  await expect.poll(() => heard).toEqual(["again"]);
});

test("a database that cannot be reached holds nothing up", async () => {
  const { states, listening } = listener("postgresql://mem@127.0.0.1:1/mem");
  await listening.tried;
  expect(states).toEqual(["deaf"]);
});

test("closed, it leaves no connection, also while it is being made", async () => {
  const { listening } = listener();
  await listening.tried;
  await listening.close();
  const other = listener();
  await other.listening.close();
  await other.listening.tried;
  await expect.poll(connections).toEqual([]);
  expect(other.states).toEqual([]);
});
