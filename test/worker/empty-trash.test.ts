// Emptying the trash through the worker's routes, on a real database file.
import { expect, test } from "vitest";
import {
  ask,
  bytesWith,
  db,
  eachWithAWorker,
  hits,
  now,
  remove,
  restore,
  store,
  travel,
  workIn,
} from "./trash-world.ts";

eachWithAWorker();

const session = { claudeSessionId: "s-1", project: "app" };
const use = { ...session, tool_name: "Bash", tool_input: { command: "echo kumquat" } };
const skipped = { status: "skipped", reason: "private" };
const privatePrompt = () =>
  ask("POST", "/api/sessions/init", { ...session, prompt: "<private>all of it</private>" });
const empty = async () => (await ask("DELETE", "/api/trash")).body;
const listed = async () => (await ask("GET", "/api/trash")).body.items.length;
const contents = () => db.prepare<[], string>("select content from trash_rows").pluck().all();
const entries = () => db.prepare("select count(*) from trash").pluck().get();

test("leaves nothing of what was deleted or edited, in the full text neither", async () => {
  await workIn("s-1", "kumquat");
  await workIn("s-2", "papaya");
  await remove("/api/sessions/1");
  const summary = db.prepare("select id from session_summaries").pluck().get();
  await ask("PATCH", `/api/summaries/${summary}`, { notes: "Mango." });
  expect(await empty()).toEqual({ deleted: 2, left: 0 });
  expect(await listed()).toBe(0);
  await expect.poll(entries).toBe(0);
  expect(contents()).toEqual([]);
  expect(bytesWith("kumquat")).toBe(false);
  expect(await hits("papaya")).toBeGreaterThan(0);
  expect(await empty()).toEqual({ deleted: 0, left: 0 });
});

test("takes what was deleted before the clock was set back", async () => {
  await workIn("s-1", "kumquat");
  travel(1);
  await remove("/api/sessions/1");
  travel(0);
  expect(await empty()).toEqual({ deleted: 1, left: 0 });
  await expect.poll(contents).toEqual([]);
});

test("two calls count each entry once", async () => {
  await workIn("s-1", "kumquat");
  await remove("/api/sessions/1");
  const done = await Promise.all([empty(), empty()]);
  expect(done.map(({ deleted }) => deleted).sort()).toEqual([0, 1]);
});

test("an emptied entry is not restored, and is deleted after the worker was killed", async () => {
  await workIn("s-1", "kumquat");
  const { body } = await remove("/api/sessions/1");
  await store.commit(() => store.trash.empty());
  const purge = (limit: number) => store.commit(() => store.trash.purge(now, limit));
  await purge(1);
  expect(contents()).not.toEqual([]);
  expect(await listed()).toBe(0);
  expect((await ask("GET", "/api/trash?kind=session&id=1")).body.items).toEqual([]);
  expect((await restore(body.trash_id)).status).toBe(404);
  expect(db.prepare("select count(*) from sessions").pluck().get()).toBe(0);
  while ((await purge(200)) > 0);
  expect([entries(), contents()]).toEqual([0, []]);
});

test("deletes large rows in several steps", async () => {
  for (const id of [1, 2, 3]) await ask("POST", "/observations", { ...session, title: `Large ${id}` });
  await remove("/api/sessions/1");
  db.prepare("update trash_rows set content = content || ? where place = 'observations'").run(
    " ".repeat(3 * 1024 * 1024),
  );
  await store.commit(() => store.trash.empty());
  const large = () =>
    db.prepare("select count(*) from trash_rows where octet_length(content) > 1000000").pluck().get();
  const left: unknown[] = [];
  while ((await store.commit(() => store.trash.purge(now, 200))) > 0) left.push(large());
  expect(left.slice(0, 2)).toEqual([1, 0]);
});

test("keeps what follows a deleted private prompt private, and none of the text", async () => {
  await workIn("s-1", "kumquat");
  await privatePrompt();
  const { body } = await remove("/api/sessions/1");
  expect(await empty()).toEqual({ deleted: 1, left: 1 });
  await expect.poll(contents).toEqual(['{"id":1,"claude_session_id":"s-1","prompt_private":1}']);
  const left = () => db.prepare("select title, project from trash").all();
  await expect.poll(left).toEqual([{ title: "", project: "" }]);
  expect(await listed()).toBe(0);
  expect((await restore(body.trash_id)).status).toBe(404);
  expect((await ask("POST", "/api/sessions/observations", use)).body).toEqual(skipped);
  expect(await empty()).toEqual({ deleted: 0, left: 1 });
  await expect.poll(entries).toBe(1);
  expect((await ask("POST", "/api/sessions/observations", use)).body).toEqual(skipped);
  const then = travel(31);
  while ((await store.commit(() => store.trash.purge(then, 200))) > 0);
  expect(entries()).toBe(0);
});

test("keeps no id of a private session once the host went on in the open", async () => {
  await privatePrompt();
  await remove("/api/sessions/1");
  expect(await empty()).toEqual({ deleted: 1, left: 1 });
  await ask("POST", "/api/sessions/init", { ...session, prompt: "Now in the open." });
  await remove("/api/sessions/2");
  expect(await empty()).toEqual({ deleted: 1, left: 0 });
  await expect.poll(entries).toBe(0);
  expect((await ask("POST", "/api/sessions/observations", use)).body).toEqual({ status: "queued" });
});
