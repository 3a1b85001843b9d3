import { expect, test } from "vitest";
import { newId } from "../../../src/core/ids.ts";
import { requestsTo } from "../../helpers/hosted-requests.ts";
import { openTestServer } from "../../helpers/hosted-server.ts";

const server = await openTestServer();
const key = await server.addKey();
const ownKey = await server.addKey({ project: "own" });
const { get, post } = requestsTo(server, key);

test("a team key creates a project, visible immediately, with a unique name", async () => {
  const made = await post("/v1/projects", { name: "fresh", metadata: { repo: "x" } });
  expect(made.status).toBe(201);
  expect(made.body.project).toMatchObject({ teamId: key.team_id, name: "fresh", metadata: { repo: "x" } });
  const { id } = made.body.project;
  expect((await get(`/v1/projects/${id}`)).body).toEqual(made.body);
  const event = { projectId: id, sourceType: "api", eventType: "note", occurredAtEpoch: 1 };
  expect((await post("/v1/events", event)).status).toBe(201);
  const again = await post("/v1/projects", { name: "fresh" });
  expect(again.status).toBe(409);
  expect(again.body.error.details).toEqual({ projectId: id });
});

test("a key of one project makes none, and sees its own alone", async () => {
  expect((await post("/v1/projects", { name: "more" }, { by: ownKey })).status).toBe(403);
  const { body } = await get("/v1/projects", ownKey);
  expect(body.projects.map(({ name }: { name: string }) => name)).toEqual(["own"]);
});

test("projects are listed by name, page by page, each once", async () => {
  const lister = await server.addKey({ team: "listers" });
  const names = ["a", "b", "c", "d", "e"];
  for (const name of names.toReversed()) await post("/v1/projects", { name }, { by: lister });
  const seen: string[] = [];
  let after: string | null = "";
  do {
    const { body } = await get(`/v1/projects?limit=2&after=${after}`, lister);
    seen.push(...body.projects.map(({ name }: { name: string }) => name));
    after = body.nextAfter;
  } while (after !== null);
  expect(seen).toEqual(names);
});

test("foreign, unknown and malformed projects are answered with the same bytes", async () => {
  const stranger = await server.addKey({ team: "strangers", project: "theirs" });
  const sibling = (await post("/v1/projects", { name: "sibling" })).body.project.id;
  const ids = [stranger.project_id ?? "", sibling, newId(), "no-id", "0", "%00"].map(encodeURIComponent);
  const answers = await Promise.all(ids.map((id) => get(`/v1/projects/${id}`, ownKey)));
  expect([...new Set(answers.map(({ status, text }) => `${status} ${text}`))]).toEqual([
    expect.stringMatching(/^404 .*There is no such project/),
  ]);
});

test("a name is a storable text of 1 to 200 characters; unknown fields are refused", async () => {
  const bodies = [
    {},
    { name: "" },
    { name: 1 },
    { name: "x".repeat(201) },
    { name: "\0" },
    { name: "<private>x" },
  ];
  for (const body of [...bodies, { name: "y", id: newId() }, { name: "y", metadata: [] }]) {
    expect((await post("/v1/projects", body)).status, JSON.stringify(body)).toBe(400);
  }
});

test("a server without keys writes to its one project when a request names none", async () => {
  const local = await openTestServer({ MEM_AUTH_MODE: "local" });
  const send = (body: object) =>
    local.app.inject({
      method: "POST",
      url: "/v1/events",
      headers: { host: "127.0.0.1:80", "content-type": "application/json" },
      payload: JSON.stringify({ sourceType: "hook", eventType: "note", occurredAtEpoch: 1, ...body }),
    });
  const first = await send({});
  expect(first.statusCode).toBe(201);
  const { projectId } = first.json().event;
  expect((await send({ projectId })).json().event.projectId).toBe(projectId);
  expect((await send({ projectId: newId() })).statusCode).toBe(404);
});
