import { describe, expect, test } from "vitest";
import { eachFakeWorld, fakeWorld, local } from "../support.ts";

const world = eachFakeWorld();

const get = (url: string, headers: Record<string, string> = {}) =>
  world.app.inject({ url, headers: { ...local, ...headers } });

describe("pages", () => {
  test.each([
    ["/api/observations", "observations.page"],
    ["/api/summaries", "summaries.page"],
    ["/api/prompts", "prompts.page"],
    ["/sessions", "sessions.page"],
    ["/observations", "observations.page"],
  ])("%s begins at 0 with 20 records of all projects", async (url, port) => {
    expect((await get(url)).json()).toMatchObject({ offset: 0, limit: 20 });
    expect(world.calls).toEqual([{ port, input: { offset: 0, limit: 20 } }]);
    world.calls.length = 0;
    const answer = await get(`${url}?offset=5&limit=7&project=my%20app`);
    expect(answer.json()).toMatchObject({ offset: 5, limit: 7 });
    expect(world.calls).toEqual([{ port, input: { offset: 5, limit: 7, project: "my app" } }]);
  });

  test("hasMore is what the port says", async () => {
    expect((await get("/api/observations")).json().hasMore).toBe(true);
    expect((await get("/api/prompts")).json().hasMore).toBe(false);
  });

  test("list columns stay JSON text in a page, and are arrays in search and context", async () => {
    expect((await get("/api/observations")).json().items[0].facts).toBe('["exit code 1"]');
    expect((await get("/api/search?format=full")).json().observations[0].facts).toEqual(["exit code 1"]);
    expect((await get("/api/context/recent")).json().observations[0].facts).toEqual(["exit code 1"]);
  });

  test("a session comes with its summaries", async () => {
    expect((await get("/api/session/1")).json()).toMatchObject({ id: 1, summaries: [{ id: 1 }] });
  });
});

describe("GET /api/search", () => {
  const asked = async (query: string) => {
    world.calls.length = 0;
    expect((await get(`/api/search?${query}`)).statusCode).toBe(200);
    return world.calls[0]?.input;
  };

  test("without parameters is everything in the index form", async () => {
    expect(await asked("")).toEqual({ format: "index", limit: 20, offset: 0, concepts: [], files: [] });
  });

  test("hands every filter on", async () => {
    const filters =
      "query=login%20redirect&type=sessions&format=full&limit=5&offset=2&project=a&obs_type=bugfix";
    const lists = "concepts=gotcha,%20pattern&files=src/a.ts,b.ts&dateStart=2026-01-01&dateEnd=2026-01-01";
    expect(await asked(`${filters}&${lists}`)).toEqual({
      query: "login redirect",
      type: "sessions",
      format: "full",
      limit: 5,
      offset: 2,
      project: "a",
      obs_type: "bugfix",
      concepts: ["gotcha", "pattern"],
      files: ["src/a.ts", "b.ts"],
      dateStart: Date.UTC(2026, 0, 1),
      dateEnd: Date.UTC(2026, 0, 2) - 1,
    });
  });

  test("reads a type that is an observation type as obs_type", async () => {
    expect(await asked("type=bugfix")).toMatchObject({ type: "observations", obs_type: "bugfix" });
    expect(await asked("type=bugfix&obs_type=feature")).toMatchObject({ obs_type: "feature" });
    expect(await asked("type=money-trail")).toMatchObject({ type: "observations", obs_type: "money-trail" });
  });

  test("takes the same parameters in the body of a POST", async () => {
    const lists = { concepts: ["gotcha", "pattern"], files: "src/a.ts,b.ts" };
    const payload = { query: "login", type: "bugfix", limit: 5, dateStart: "2026-01-01", ...lists };
    const input = await asked(
      "query=login&type=bugfix&limit=5&dateStart=2026-01-01&concepts=gotcha,pattern&files=src/a.ts,b.ts",
    );
    world.calls.length = 0;
    const posted = await world.app.inject({ method: "POST", url: "/api/search", payload, headers: local });
    expect(posted.json()).toMatchObject({ totalResults: 3, query: "login" });
    expect(world.calls.map((call) => call.input)).toEqual([input]);
  });

  test("counts what it found and repeats the words", async () => {
    expect((await get("/api/search?query=a%26b")).json()).toMatchObject({ totalResults: 3, query: "a&b" });
    expect((await get("/api/search")).json().query).toBe("");
  });

  test.each(["type=A%20Poem", "format=xml", "obs_type=A%20Poem", "query=a&query=b", "project=a&project=b"])(
    "%s is 400",
    async (query) => {
      expect((await get(`/api/search?${query}`)).statusCode).toBe(400);
    },
  );
});

describe("context", () => {
  test("inject takes one project, a list, or both, each once", async () => {
    for (const [query, projects] of [
      ["project=a", ["a"]],
      ["projects=a,b", ["a", "b"]],
      ["project=b&projects=a,b", ["b", "a"]],
    ] as const) {
      const answer = await get(`/api/context/inject?${query}&colors=true`);
      expect(answer.headers["content-type"]).toBe("text/plain; charset=utf-8");
      expect(world.calls.pop()?.input).toEqual({ projects, colors: true });
      expect(answer.body).toBe(`# ${projects.join(" and ")}\n`);
    }
  });

  test("preview is inject in colours", async () => {
    const answer = await get("/api/context/preview?project=alpha&projects=beta,alpha");
    const coloured = await get("/api/context/inject?projects=alpha,beta&colors=true");
    expect(answer.statusCode).toBe(200);
    expect(answer.headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect(answer.body).toBe(coloured.body);
    expect((await get("/api/context/preview?project=")).statusCode).toBe(400);
  });

  test.each(["", "project=", "projects=,", "project=a&colors=maybe"])("inject?%s is 400", async (query) => {
    expect((await get(`/api/context/inject?${query}`)).statusCode).toBe(400);
  });

  test("recent answers 3 of all projects unless told otherwise", async () => {
    await get("/api/context/recent");
    expect(world.calls.pop()?.input).toEqual({ limit: 3 });
    await get("/api/context/recent?project=a&limit=9");
    expect(world.calls.pop()?.input).toEqual({ project: "a", limit: 9 });
  });
});

describe("GET /api/health", () => {
  test("proves who answers to a caller that sends a nonce", async () => {
    const nonce = "0123456789abcdef";
    const answer = await get("/api/health", { "x-mem-nonce": nonce });
    expect(answer.headers["x-mem-proof"]).toBe(`proof of ${nonce}`);
    expect((await get("/api/health")).headers["x-mem-proof"]).toBeUndefined();
  });

  test.each(["short", "a b c d e f g h", "x".repeat(129), "0123456789\u00e9"])(
    "refuses the nonce %j",
    async (nonce) => {
      expect((await get("/api/health", { "x-mem-nonce": nonce })).statusCode).toBe(400);
    },
  );
});

describe("POST /api/hooks/:host/:event", () => {
  const receive = (text: string) => fakeWorld({ override: { receiveHook: async () => text } });

  test.each([
    ['{"hookSpecificOutput":{}}', "application/json; charset=utf-8"],
    ["plain words", "text/plain; charset=utf-8"],
    ["", "text/plain; charset=utf-8"],
  ])("answers exactly %j", async (text, type) => {
    const hooked = receive(text);
    const answer = await hooked.app.inject({
      method: "POST",
      url: "/api/hooks/claude-code/session-start",
      headers: local,
      payload: { session_id: "s" },
    });
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toBe(text);
    expect(answer.headers["content-type"]).toBe(type);
    await hooked.app.close();
  });

  test("hands the payload on as it came", async () => {
    const payload = { session_id: "s", tool_input: { deep: [{ a: null }] }, unknown: 1 };
    await world.app.inject({
      method: "POST",
      url: "/api/hooks/claude-code/PostToolUse",
      headers: local,
      payload,
    });
    expect(world.calls).toEqual([
      { port: "receiveHook", input: { host: "claude-code", event: "PostToolUse", payload } },
    ]);
  });

  test.each(["[]", '"text"', "7", "{", "no json"])(
    "refuses the payload %s, and reports it",
    async (payload) => {
      const headers = { ...local, "content-type": "application/json" };
      const answer = await world.app.inject({ method: "POST", url: "/api/hooks/h/e", headers, payload });
      expect(answer.statusCode).toBe(400);
      expect(world.calls).toEqual([{ port: "receiveHook", input: { host: "h", event: "e", payload: null } }]);
    },
  );

  test("reports no event whose names are refused", async () => {
    const answer = await world.app.inject({
      method: "POST",
      url: "/api/hooks/a%20b/e",
      headers: local,
      payload: {},
    });
    expect(answer.statusCode).toBe(400);
    expect(world.calls).toEqual([]);
  });
});
