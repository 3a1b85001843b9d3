import { describe, expect, test } from "vitest";
import { eachFakeWorld, fakeWorld, local } from "../support.ts";

const world = eachFakeWorld();

const post = (url: string, payload: object) =>
  world.app.inject({ method: "POST", url, headers: local, payload });

describe("POST /api/sessions/observations", () => {
  const queued = { port: "observe" };

  test.each([
    ["the contract's spelling", { claudeSessionId: "c", tool_name: "T", tool_use_id: "u" }],
    ["the other spelling", { contentSessionId: "c", toolName: "T", toolUseId: "u" }],
  ])("takes %s", async (_name, body) => {
    expect((await post("/api/sessions/observations", body)).json()).toEqual({ status: "queued" });
    const input = { claudeSessionId: "c", tool_name: "T", eventKey: "u", host: undefined };
    expect(world.calls).toEqual([{ ...queued, input }]);
  });

  test.each([[{ a: [1] }], ["text"], [[1, 2]], [null], [7], [false]])(
    "takes %j as a tool's input and response, as it is",
    async (value) => {
      const body = { claudeSessionId: "c", tool_name: "T", tool_input: value, tool_response: value };
      expect((await post("/api/sessions/observations", body)).statusCode).toBe(200);
      expect(world.calls[0]?.input).toMatchObject({ tool_input: value, tool_response: value });
    },
  );

  test("passes on agent, host and prompt number, and drops unknown fields", async () => {
    const told = { cwd: "/w", project: "p", prompt_number: 3, tool_failed: true };
    await post("/api/sessions/observations", {
      claudeSessionId: "c",
      tool_name: "T",
      ...told,
      agent_id: "a",
      agent_type: "explore",
      platformSource: "codex",
      something: "else",
    });
    expect(world.calls[0]?.input).toEqual({
      claudeSessionId: "c",
      tool_name: "T",
      ...told,
      agentId: "a",
      agentType: "explore",
      host: "codex",
      eventKey: undefined,
    });
  });

  test.each([
    [{}, "claudeSessionId"],
    [{ claudeSessionId: "" }, "claudeSessionId"],
    [{ claudeSessionId: 7, tool_name: "T" }, "claudeSessionId"],
    [{ claudeSessionId: "c" }, "tool_name"],
    [{ claudeSessionId: "c", tool_name: "T", prompt_number: -1 }, "prompt_number"],
    [{ claudeSessionId: "c", tool_name: "T", cwd: 1 }, "cwd"],
  ])("%j is 400 and names %s", async (body, path) => {
    const answer = await post("/api/sessions/observations", body);
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error.details.map((detail: { path: string }) => detail.path)).toContain(path);
    expect(world.calls).toEqual([]);
  });

  test("100,000 wrong keys come back as a short error", async () => {
    const body = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`k${n}`, n]));
    const answer = await world.app.inject({
      method: "PATCH",
      url: "/sessions/1",
      headers: local,
      payload: body,
    });
    expect(answer.statusCode).toBe(400);
    expect(answer.body.length).toBeLessThan(2000);
  });
});

test.each([
  ["/api/sessions/observations", { claudeSessionId: "c", tool_name: "T" }],
  ["/api/sessions/summarize", { claudeSessionId: "c" }],
  ["/sessions/2/observations", { tool_name: "T" }],
  ["/sessions/2/summarize", {}],
])("%s tells on which prompt the message belongs to, in every spelling", async (url, body) => {
  for (const named of [{ promptKey: "k" }, { promptId: "k" }, { prompt_id: "k" }]) {
    await post(url, { ...body, ...named, promptNumber: 3 });
    expect(world.calls.at(-1)?.input).toMatchObject({ promptKey: "k", prompt_number: 3 });
  }
});

test("POST /observations answers skipped when the prompt is private", async () => {
  const skipped = { status: "skipped" as const, reason: "private" as const };
  const priv = fakeWorld({ override: { recordObservation: async () => skipped } });
  const payload = { claudeSessionId: "c", title: "t" };
  const answer = await priv.app.inject({ method: "POST", url: "/observations", headers: local, payload });
  expect([answer.statusCode, answer.json()]).toEqual([200, skipped]);
  await priv.app.close();
});

describe("POST /api/sessions/init", () => {
  test("answers initialized with the prompt's number", async () => {
    const answer = await post("/api/sessions/init", {
      contentSessionId: "c",
      userPrompt: "p",
      promptId: "k",
    });
    expect(answer.json()).toEqual({
      status: "initialized",
      sessionDbId: 1,
      promptNumber: 1,
      skipped: false,
    });
    expect(world.calls[0]?.input).toMatchObject({ claudeSessionId: "c", prompt: "p", eventKey: "k" });
  });

  test("names a prompt without text", async () => {
    await post("/api/sessions/init", { claudeSessionId: "c", prompt: null });
    expect(world.calls[0]?.input).toMatchObject({ prompt: "[media prompt]" });
  });

  test("answers skipped with the reason", async () => {
    const initSession = async () => ({
      sessionDbId: 4,
      promptNumber: 2,
      skipped: true,
      reason: "private" as const,
    });
    const priv = fakeWorld({ override: { intake: { ...world.deps.intake, initSession } } });
    const answer = await priv.app.inject({
      method: "POST",
      url: "/api/sessions/init",
      headers: local,
      payload: { claudeSessionId: "c", prompt: "p" },
    });
    expect(answer.json()).toMatchObject({ status: "skipped", skipped: true, reason: "private" });
    await priv.app.close();
  });
});

describe("the legacy routes", () => {
  test("name the session by its row id and post what the new ones post", async () => {
    const { port } = world.deps.address();
    const init = await post("/sessions/2/init", { userPrompt: "p", promptNumber: 1 });
    expect(init.json()).toMatchObject({ status: "initialized", sessionDbId: 1, port });
    expect(world.calls.at(-1)?.input).toMatchObject({ prompt: "p", promptNumber: 1 });
    await post("/sessions/2/observations", {
      tool_name: "T",
      tool_input: {},
      tool_response: "r",
      prompt_number: 1,
    });
    await post("/sessions/2/summarize", { last_user_message: "u", last_assistant_message: "a" });
    expect((await post("/sessions/2/complete", {})).json()).toEqual({ success: true });
    const posted = world.calls.filter(({ port: name }) => name !== "sessions.byId");
    expect(posted.map(({ port: name }) => name)).toEqual(["initSession", "observe", "summarize", "complete"]);
    for (const { input } of posted) expect(input).toMatchObject({ claudeSessionId: "claude-2" });
  });

  test.each(["init", "observations", "summarize", "complete"])(
    "%s of an unknown session is 404 with the next step",
    async (verb) => {
      const answer = await post(`/sessions/77/${verb}`, { tool_name: "T" });
      expect(answer.statusCode).toBe(404);
      expect(answer.json().error.hint).toContain("/api/sessions/init");
      expect(world.calls.map(({ port: name }) => name)).toEqual(["sessions.byId"]);
    },
  );

  test("status tells how long the session lives and how much of it waits", async () => {
    const answer = await world.app.inject({ url: "/sessions/1/status", headers: local });
    expect(answer.json()).toEqual({
      status: "active",
      sessionDbId: 1,
      project: "alpha",
      queueLength: 2,
      uptime: 100_000,
    });
  });
});
