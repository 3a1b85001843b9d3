// Records of a device on their way to a team's server: a real store and a real server.
import { expect, onTestFinished, test } from "vitest";
import { newId } from "../../src/core/ids.ts";
import type { TeamRecord } from "../../src/core/records/team.ts";
import { openTestServer } from "../helpers/hosted-server.ts";
import { someTime } from "../helpers/memory-store.ts";
import { createTeamDevice, type TeamDevice } from "./team-world.ts";

const server = await openTestServer();

/** With a key of the project `p`, or of its whole team. */
async function device(reach: "project" | "team" = "project"): Promise<TeamDevice> {
  const team = newId();
  const ofProject = await server.addKey({ team, project: "p" });
  const made = createTeamDevice(server, reach === "project" ? ofProject : await server.addKey({ team }));
  onTestFinished(async () => {
    await made.sender.close();
    made.memory.close();
  });
  return made;
}

const nothingWaits = { waiting: 0, shared: 0, deleted_by_team: 0 };

test("accepted records of a connected project are found there, others are not", async () => {
  const { memory, records, sender, found, connect, setStatus } = await device();
  await connect("shop");
  const statement = { said_by: "user", standing: true, reach: "project", salience: 2 } as const;
  memory.addObservation({ project: "shop", title: "Turbines are blue", statement });
  memory.addObservation({ project: "shop", title: "Read a turbine", routine: true });
  const rejected = memory.addObservation({ project: "shop", title: "Turbines are red" });
  memory.addObservation({ project: "private", title: "Turbines are mine" });
  memory.addSummary({ project: "shop", request: "Paint a turbine", completed: "Painted it" });
  memory.addPrompt("paint the turbine", { project: "shop" });
  setStatus(rejected.id, "rejected");
  await sender.sendNow();
  expect(await found("turbine")).toEqual(["Paint a turbine", "Turbines are blue"]);
  expect(records.counts()).toEqual({ ...nothingWaits, shared: 2 });
});

test("records from before the connection stay, and go with `earlier`", async () => {
  const { memory, sender, found, connect } = await device();
  memory.addObservation({ project: "shop", title: "An early turbine", at: someTime - 1_000 });
  await connect("shop", { since: someTime });
  memory.addObservation({ project: "shop", title: "A late turbine", at: someTime + 1_000 });
  await sender.sendNow();
  expect(await found("turbine")).toEqual(["A late turbine"]);
  await connect("shop");
  await sender.sendNow();
  expect(await found("turbine")).toEqual(["A late turbine", "An early turbine"]);
});

test("an edit replaces, a deletion or rejection withdraws, an acceptance returns", async () => {
  const { memory, records, sender, found, connect, change, remove, setStatus } = await device();
  await connect("shop");
  const edited = memory.addObservation({ project: "shop", title: "Turbine one" });
  const rejected = memory.addObservation({ project: "shop", title: "Turbine two" });
  const deleted = memory.addObservation({ project: "shop", title: "Turbine three" });
  await sender.sendNow();
  change(edited.id, "Turbine uno");
  setStatus(rejected.id, "rejected");
  remove(deleted.id);
  await sender.sendNow();
  expect(await found("turbine")).toEqual(["Turbine uno"]);
  setStatus(rejected.id, "active");
  await sender.sendNow();
  expect(await found("turbine")).toEqual(["Turbine two", "Turbine uno"]);
  expect(records.counts()).toEqual({ ...nothingWaits, shared: 2 });
});

test("what the team deleted is never sent again, whatever happens to it here", async () => {
  const { memory, records, client, sender, found, connect, change, requests } = await device();
  await connect("shop");
  const { id } = memory.addObservation({ project: "shop", title: "Turbine one" });
  await sender.sendNow();
  const { signal } = new AbortController();
  const [hit] = await client.search({ project: "p", query: "turbine", limit: 1 }, signal);
  const key = requests.at(-1)?.headers.authorization ?? "";
  const headers = { host: "mem.test", authorization: key };
  await server.app.inject({ method: "DELETE", url: `/v1/memories/${hit?.id}`, headers });
  change(id);
  await sender.sendNow();
  expect(records.counts()).toEqual({ ...nothingWaits, deleted_by_team: 1 });
  const before = requests.length;
  change(id);
  await connect("shop");
  await sender.sendNow();
  expect(requests.length).toBe(before);
  expect(await found("turbine")).toEqual([]);
});

test("a lost answer is repeated with the same bytes and stores nothing twice", async () => {
  const { memory, records, sender, found, connect, requests, meet } = await device();
  await connect("shop");
  for (let one = 0; one < 5; one++) memory.addObservation({ project: "shop", title: `Turbine ${one}` });
  // The server stores it, and the answer is lost.
  let isLost = false;
  meet(({ path, body, headers }) => {
    if (isLost || path !== "/v1/memories/shared") return undefined;
    isLost = true;
    void server.app.inject({
      ...{ method: "POST", url: path, payload: body ?? "" },
      headers: { host: "mem.test", ...headers, "content-type": "application/json" },
    });
    return { status: 503 };
  });
  await sender.sendNow();
  expect(sender.status()).toMatchObject({ state: "backoff", last_error: expect.any(String) });
  expect(records.counts().waiting).toBe(5);
  await sender.sendNow();
  const sent = requests.filter(({ path }) => path === "/v1/memories/shared").map(({ body }) => body);
  expect(sent[0]).toBe(sent[1]);
  expect(await found("turbine")).toHaveLength(5);
  expect(records.counts()).toEqual({ ...nothingWaits, shared: 5 });
});

test("a refused record fails alone, and its next change is sent again", async () => {
  const { memory, records, sender, found, connect, change, meet } = await device();
  await connect("shop");
  const made = Array.from({ length: 9 }, (_, one) =>
    memory.addObservation({ project: "shop", title: `Turbine ${one}` }),
  );
  const poison = made[4];
  meet(({ body }) => (body?.includes("Turbine 4") ? { status: 400 } : undefined));
  await sender.sendNow();
  expect(await found("turbine")).toHaveLength(8);
  expect(records.refused(10)).toEqual([
    { kind: "observation", record_id: poison?.id, reason: "The server does not accept its form." },
  ]);
  meet(() => undefined);
  change(poison?.id, "Turbine four");
  await sender.sendNow();
  expect(await found("turbine")).toHaveLength(9);
  expect(records.refused(10)).toEqual([]);
});

test.each([
  [401, "unauthorized"],
  [403, "read_only"],
])("status %i stops it with the reason %s, and nothing is lost", async (status, reason) => {
  const { memory, records, sender, connect, meet } = await device();
  await connect("shop");
  memory.addObservation({ project: "shop", title: "Turbine" });
  meet(() => ({ status }));
  await sender.sendNow();
  expect(sender.status()).toMatchObject({ state: "stopped", reason });
  expect(JSON.stringify(sender.status())).not.toContain("cmem");
  meet(() => undefined);
  await sender.sendNow();
  expect(sender.status()).toMatchObject({ state: "idle", reason: null, last_error: null });
  expect(records.counts()).toEqual({ ...nothingWaits, shared: 1 });
});

test("another device cannot write under this one's name, and shows it as refused", async () => {
  const { memory, records, sender, client, requests, found, connect, change } = await device();
  await connect("shop");
  const { id } = memory.addObservation({ project: "shop", title: "Turbines are blue" });
  await sender.sendNow();
  const { records: sent } = JSON.parse(requests.at(-1)?.body ?? "{}");
  const [{ device: name, revision }] = sent;
  const forged: TeamRecord = {
    ...{ kind: "observation" as const, record_id: id, revision: revision + 1, device: name, moves: false },
    content: { ...sent[0], title: "Turbines are red" },
  };
  const { signal } = new AbortController();
  await expect(client.share({ project: "p", records: [forged], secret: "mine" }, signal)).rejects.toThrow(
    "records of another device under this device's name",
  );
  expect(await found("turbine")).toEqual(["Turbines are blue"]);
  memory.db.prepare("update sync_state set value = 'lost' where name = 'team_secret'").run();
  change(id, "Turbines are green");
  await sender.sendNow();
  expect(records.refused(10)).toMatchObject([
    { record_id: id, reason: expect.stringContaining("another device") },
  ]);
  expect(sender.status()).toMatchObject({ state: "idle" });
});

test("a project that the key does not reach is shown, and others are sent", async () => {
  const { memory, records, sender, found, connect } = await device();
  await connect("attic", { to: "missing" });
  await connect("shop");
  memory.addObservation({ project: "attic", title: "An attic turbine" });
  memory.addObservation({ project: "shop", title: "A shop turbine" });
  await sender.sendNow();
  expect(await found("turbine")).toEqual(["A shop turbine"]);
  expect(records.projects.list()).toMatchObject([
    { project: "attic", problem: "The key reaches no such project on the server." },
    { project: "shop", problem: null },
  ]);
});

test("after a disconnection changes stay here, and deletions still follow", async () => {
  const { memory, records, sender, found, connect, change, remove } = await device();
  await connect("shop");
  const [kept, deleted] = ["Turbine one", "Turbine two"].map((title) =>
    memory.addObservation({ project: "shop", title }),
  );
  await sender.sendNow();
  expect(await records.projects.disconnect("shop")).toBe(true);
  expect(await records.projects.disconnect("shop")).toBe(false);
  memory.addObservation({ project: "shop", title: "Turbine three" });
  change(kept?.id, "Turbine uno");
  remove(deleted?.id);
  await sender.sendNow();
  expect(await found("turbine")).toEqual(["Turbine one"]);
  await connect("shop");
  await sender.sendNow();
  expect(await found("turbine")).toEqual(["Turbine three", "Turbine uno"]);
});

test("a renamed project stays connected; merged into another, its records stay here", async () => {
  const { memory, records, sender, found, connect } = await device();
  const { store } = memory;
  await connect("shop");
  memory.addObservation({ project: "shop", title: "Turbine one" });
  memory.addObservation({ project: "other", title: "Another turbine" });
  await sender.sendNow();
  const named = (label: string) => store.projects.byLabel(label) ?? { id: 0, label };
  await store.commit(() => {
    for (const label of ["shop", "other"]) store.projects.ensure?.(label);
    store.projectMoves.rename(named("shop").id, "shop", "store");
  });
  while (await store.commit(() => store.projectMoves.step(10)));
  expect(records.projects.list()).toMatchObject([{ project: "store", team_project: "p" }]);
  memory.addObservation({ project: "store", title: "Turbine two" });
  await sender.sendNow();
  expect(await found("turbine")).toEqual(["Turbine one", "Turbine two"]);
  await store.commit(() => store.projectMoves.merge(named("store"), named("other")));
  expect(records.projects.list()).toEqual([]);
});

test("what the team deleted does not appear in another project of the team", async () => {
  const { memory, records, client, sender, found, connect, requests } = await device("team");
  await connect("shop");
  memory.addObservation({ project: "shop", title: "Turbine one" });
  await sender.sendNow();
  const { signal } = new AbortController();
  const headers = { host: "mem.test", authorization: requests.at(-1)?.headers.authorization ?? "" };
  const [hit] = await client.search({ project: "p", query: "turbine", limit: 1 }, signal);
  await server.app.inject({ method: "DELETE", url: `/v1/memories/${hit?.id}`, headers });
  await client.createProject("q", signal);
  await connect("shop", { to: "q" });
  await sender.sendNow();
  expect(await found("turbine", "q")).toEqual([]);
  expect(records.counts()).toEqual({ ...nothingWaits, deleted_by_team: 1 });
});

test("a key of another team sends nothing until its projects are connected", async () => {
  const { memory, records, sender, found, connect } = await device();
  await connect("shop", { team: newId() });
  await connect("attic", { team: newId() });
  expect(records.projects.list()).toMatchObject([{ project: "attic" }]);
  memory.addObservation({ project: "attic", title: "An attic turbine" });
  memory.addObservation({ project: "shop", title: "A shop turbine" });
  await sender.sendNow();
  expect(sender.status()).toMatchObject({ state: "stopped", reason: "wrong_account" });
  expect(await found("turbine")).toEqual([]);
  await connect("shop");
  await sender.sendNow();
  expect(sender.status().state).toBe("idle");
  expect(await found("turbine")).toEqual(["A shop turbine"]);
  expect(records.projects.list()).toMatchObject([{ project: "shop" }]);
});

test("a restored older copy of the database sends its state as the newest", async () => {
  const { memory, records, sender, found, connect, change } = await device();
  await connect("shop");
  const { id } = memory.addObservation({ project: "shop", title: "Turbine one" });
  for (const title of ["Turbine two", "Turbine three"]) {
    change(id, title);
    await sender.sendNow();
  }
  memory.db.prepare("update team_records set changed = 1, acked = 1").run();
  change(id, "Turbine restored");
  await sender.sendNow();
  expect(await found("turbine")).toEqual(["Turbine restored"]);
  expect(records.counts()).toEqual({ ...nothingWaits, shared: 1 });
});

test("files are named relative to the project, and without the home folder", async () => {
  const { memory, client, sender, connect } = await device();
  await connect("shop");
  const { sdk_session_id } = memory.addObservation({
    ...{ project: "shop", title: "Turbine", session: "s", at: someTime - 1 },
  });
  memory.db
    .prepare("update sessions set cwd = '/home/anna/shop' where sdk_session_id = ?")
    .run(sdk_session_id);
  memory.addObservation({
    ...{ project: "shop", title: "Blades", session: "s" },
    files_modified: ["/home/anna/shop/src/blade.ts", "/etc/hosts", "/home/anna/.npmrc"],
  });
  await sender.sendNow();
  const { signal } = new AbortController();
  const [hit] = await client.search({ project: "p", query: "blades", limit: 1 }, signal);
  expect(hit?.filesModified).toEqual(["src/blade.ts", "/etc/hosts", "~/.npmrc"]);
});

test("a server that claims ever newer revisions is not asked for ever", async () => {
  const { memory, records, sender, connect, requests, meet } = await device();
  await connect("shop");
  memory.addObservation({ project: "shop", title: "Turbine" });
  meet(({ path, body = "" }) => {
    if (path !== "/v1/memories/shared") return undefined;
    const { revision } = JSON.parse(body).records[0];
    const result = { outcome: "unchanged", memoryId: null, revision: revision + 1 };
    return { status: 200, body: { results: [result] } };
  });
  await sender.sendNow();
  expect(sender.status().state).toBe("idle");
  expect(requests.length).toBeLessThan(5);
  expect(records.counts().waiting).toBe(1);
});

test("what waits is counted once, not for each request", async () => {
  const { memory, records, sender, connect, requests } = await device();
  await connect("shop");
  for (let n = 0; n < 150; n += 1) memory.addObservation({ project: "shop", title: `Turbine ${n}` });
  const { waiting } = records;
  let counts = 0;
  records.waiting = () => {
    counts += 1;
    return waiting();
  };
  await sender.sendNow();
  expect(requests.filter(({ path }) => path === "/v1/memories/shared").length).toBeGreaterThan(1);
  expect(counts).toBe(1);
  expect(waiting()).toBe(0);
});
