import { afterAll, expect, test } from "vitest";
import * as z from "zod";
import { fakeWorld, local } from "./support.ts";

// Answers are not checked at run time, so here every route's real answer is held against the schema it declares.
const world = fakeWorld();
afterAll(() => world.app.close());

const toolUse = {
  claudeSessionId: "c",
  tool_name: "Bash",
  tool_input: { command: "ls" },
  tool_response: "a",
};

type Row = [
  method: "GET" | "POST" | "PATCH" | "DELETE",
  url: string,
  route: string,
  body: object | undefined,
  status: number,
];

const rows: Row[] = [
  ["POST", "/api/sessions/init", "", { claudeSessionId: "c", prompt: "p" }, 200],
  ["POST", "/api/sessions/observations", "", toolUse, 200],
  ["POST", "/api/sessions/summarize", "", { claudeSessionId: "c", last_assistant_message: "done" }, 200],
  ["POST", "/api/sessions/complete", "", { claudeSessionId: "c" }, 200],
  ["POST", "/api/sessions/complete", "", {}, 400],
  ["POST", "/sessions/1/init", "/sessions/:sessionDbId/init", { userPrompt: "p", promptNumber: 1 }, 200],
  ["POST", "/sessions/1/observations", "/sessions/:sessionDbId/observations", toolUse, 200],
  ["POST", "/sessions/1/summarize", "/sessions/:sessionDbId/summarize", {}, 200],
  ["POST", "/sessions/1/complete", "/sessions/:sessionDbId/complete", undefined, 200],
  ["POST", "/sessions/99/complete", "/sessions/:sessionDbId/complete", undefined, 404],
  ["GET", "/sessions/1/status", "/sessions/:sessionDbId/status", undefined, 200],
  ["GET", "/sessions/99/status", "/sessions/:sessionDbId/status", undefined, 404],
  ["GET", "/health", "", undefined, 200],
  ["GET", "/sessions?limit=2", "/sessions", undefined, 200],
  ["POST", "/sessions", "", { claudeSessionId: "c" }, 200],
  ["GET", "/sessions/1", "/sessions/:id", undefined, 200],
  ["GET", "/sessions/99", "/sessions/:id", undefined, 404],
  ["PATCH", "/sessions/1", "/sessions/:id", { title: "t" }, 200],
  ["PATCH", "/sessions/99", "/sessions/:id", { title: "t" }, 404],
  ["PATCH", "/sessions/1", "/sessions/:id", { project: "p" }, 400],
  ["GET", "/observations", "", undefined, 200],
  ["POST", "/observations", "", { claudeSessionId: "c", title: "t", type: "bugfix", facts: ["f"] }, 201],
  ["POST", "/observations", "", { claudeSessionId: "c", title: "t", type: "A Poem" }, 400],
  ["GET", "/observations/1", "/observations/:id", undefined, 200],
  ["GET", "/api/observations?project=alpha", "/api/observations", undefined, 200],
  ["GET", "/api/summaries", "", undefined, 200],
  ["GET", "/api/prompts?offset=4", "/api/prompts", undefined, 200],
  ["GET", "/api/observation/1", "/api/observation/:id", undefined, 200],
  ["GET", "/api/observation/99", "/api/observation/:id", undefined, 404],
  ["GET", "/api/session/1", "/api/session/:id", undefined, 200],
  ["GET", "/api/session/99", "/api/session/:id", undefined, 404],
  ["GET", "/api/prompt/1", "/api/prompt/:id", undefined, 200],
  ["GET", "/api/stats", "", undefined, 200],
  ["GET", "/api/projects", "", undefined, 200],
  ["GET", "/api/health", "", undefined, 200],
  ["GET", "/api/readiness", "", undefined, 200],
  ["GET", "/api/version", "", undefined, 200],
  ["GET", "/api/processing-status", "", undefined, 200],
  ["GET", "/api/queue?status=dead&limit=2&offset=1", "/api/queue", undefined, 200],
  ["GET", "/api/queue?status=lost", "/api/queue", undefined, 400],
  ["POST", "/api/queue/retry", "", {}, 200],
  ["POST", "/api/queue/retry", "", { ids: [1], failed: true }, 400],
  ["POST", "/api/queue/drop", "", { failed: true, since: "2026-01-31" }, 200],
  ["POST", "/api/queue/drop", "", {}, 400],
  ["GET", "/api/search?query=redirect", "/api/search", undefined, 200],
  ["GET", "/api/search?format=full", "/api/search", undefined, 200],
  ["GET", "/api/search?type=A%20Poem", "/api/search", undefined, 400],
  ["POST", "/api/search", "", { query: "redirect ".repeat(40_000), limit: 5 }, 200],
  ["POST", "/api/search", "", { type: "A Poem" }, 400],
  ["GET", "/api/timeline?anchor=S1&depth_before=0", "/api/timeline", undefined, 200],
  ["GET", "/api/timeline?query=redirect", "/api/timeline", undefined, 200],
  ["POST", "/api/timeline", "", { query: "redirect ".repeat(40_000), depth_before: 1 }, 200],
  ["POST", "/api/timeline", "", { anchor: "S99" }, 404],
  ["POST", "/api/timeline", "", { query: "x", anchor: "S1" }, 400],
  ["GET", "/api/summary/1?project=elsewhere", "/api/summary/:id", undefined, 404],
  ["GET", "/api/timeline?anchor=S99", "/api/timeline", undefined, 404],
  ["GET", "/api/timeline?anchor=later", "/api/timeline", undefined, 400],
  ["GET", "/api/decisions?format=full&limit=2&project=alpha", "/api/decisions", undefined, 200],
  ["GET", "/api/changes", "", undefined, 200],
  ["GET", "/api/how-it-works", "", undefined, 200],
  ["GET", "/api/how-it-works?limit=101", "/api/how-it-works", undefined, 400],
  ["GET", "/api/search/by-concept?concept=gotcha", "/api/search/by-concept", undefined, 200],
  ["GET", "/api/search/by-concept", "/api/search/by-concept", undefined, 400],
  ["GET", "/api/search/by-file?filePath=src/a.ts", "/api/search/by-file", undefined, 200],
  ["GET", "/api/search/by-file?filePath=", "/api/search/by-file", undefined, 400],
  ["GET", "/api/search/by-type?type=bugfix", "/api/search/by-type", undefined, 200],
  ["GET", "/api/search/by-type?type=A%20Poem", "/api/search/by-type", undefined, 400],
  ["GET", "/api/observations/by-file?path=src/a.ts", "/api/observations/by-file", undefined, 200],
  ["GET", "/api/observations/by-file", "/api/observations/by-file", undefined, 400],
  ["POST", "/api/observations/batch", "", { ids: [1, 99] }, 200],
  ["POST", "/api/observations/batch", "", { ids: [] }, 400],
  ["POST", "/api/observations/1/status", "/api/observations/:id/status", { status: "rejected" }, 200],
  ["POST", "/api/observations/1/status", "/api/observations/:id/status", { status: "wrong" }, 400],
  ["POST", "/api/observations/1/pin", "/api/observations/:id/pin", { pinned: true }, 200],
  ["POST", "/api/observations/1/pin", "/api/observations/:id/pin", {}, 400],
  ["GET", "/api/rules?project=alpha&all=false", "/api/rules", undefined, 200],
  ["GET", "/api/rules?all=yes", "/api/rules", undefined, 400],
  ["POST", "/api/rules", "", { text: "Never npm.", reach: "everywhere" }, 201],
  ["POST", "/api/rules", "", { text: "again", project: "alpha" }, 200],
  ["POST", "/api/rules", "", { text: "private", cwd: "/w/a" }, 200],
  ["POST", "/api/rules", "", { text: "" }, 400],
  ["POST", "/api/observations/1/text", "/api/observations/:id/text", { text: "Other." }, 200],
  ["POST", "/api/observations/1/text", "/api/observations/:id/text", {}, 400],
  ["GET", "/api/projects/all", "", undefined, 200],
  ["POST", "/api/projects/rename", "", { from: "alpha", to: "beta" }, 200],
  ["POST", "/api/projects/rename", "", { from: "alpha" }, 400],
  ["POST", "/api/projects/merge", "", { from: "alpha", into: "beta" }, 200],
  ["POST", "/api/projects/merge", "", { from: "alpha", to: "beta" }, 400],
  ["POST", "/api/maintenance/repair", "", {}, 200],
  ["POST", "/api/maintenance/repair", "", { all: true }, 400],
  ["GET", "/api/maintenance/repair", "", undefined, 200],
  ["GET", "/api/summary/1", "/api/summary/:id", undefined, 200],
  ["GET", "/api/summary/99", "/api/summary/:id", undefined, 404],
  ["GET", "/api/context/recent", "", undefined, 200],
  ["GET", "/api/context/inject?project=alpha", "/api/context/inject", undefined, 200],
  ["GET", "/api/context/inject", "/api/context/inject", undefined, 400],
  ["GET", "/api/context/preview?project=alpha", "/api/context/preview", undefined, 200],
  ["GET", "/api/context/preview", "", undefined, 400],
  ["GET", "/api/context/explain?project=alpha&prompt=why", "/api/context/explain", undefined, 200],
  ["GET", "/api/context/explain", "", undefined, 400],
  ["POST", "/api/context/explain", "", { cwd: "/w/a", command: "npm test" }, 200],
  ["POST", "/api/context/explain", "", { prompt: "why" }, 400],
  ["GET", "/api/folders", "", undefined, 200],
  ["POST", "/api/folders/refresh", "", { project: "alpha" }, 200],
  ["POST", "/api/folders/refresh", "", { project: "" }, 400],
  ["POST", "/api/folders/remove", "", { under: "/w/a" }, 200],
  ["POST", "/api/folders/remove", "", { below: "/w/a" }, 400],
  ["GET", "/api/settings", "", undefined, 200],
  ["POST", "/api/settings", "", { sidebarOpen: false, selectedProject: null }, 200],
  ["POST", "/api/settings", "", { sidebarOpen: "no" }, 400],
  ["GET", "/api/settings/list", "", undefined, 200],
  ["GET", "/api/branch/status", "", undefined, 200],
  ["POST", "/api/branch/switch", "", { branch: "main" }, 200],
  ["POST", "/api/branch/switch", "", {}, 400],
  ["POST", "/api/branch/update", "", {}, 200],
  ["POST", "/api/branch/update", "", { force: true }, 400],
  ["GET", "/api/mcp/status", "", undefined, 200],
  ["POST", "/api/mcp/toggle", "", { enabled: false }, 200],
  ["GET", "/api/sync/status", "", undefined, 200],
  ["POST", "/api/mcp/toggle", "", { enabled: "no" }, 400],
  ["POST", "/api/hooks/claude-code/post-tool-use", "/api/hooks/:host/:event", {}, 200],
  ["POST", "/api/hooks/a%20b/x", "/api/hooks/:host/:event", {}, 400],
  ["GET", "/api/cost?by=project&since=2026-01-31", "/api/cost", undefined, 200],
  ["GET", "/api/cost?by=week", "/api/cost", undefined, 400],
  ["POST", "/api/regenerate", "", { generator: "local", project: "alpha" }, 200],
  ["POST", "/api/regenerate", "", { resume: true, project: "alpha" }, 400],
  ["GET", "/api/regenerate", "", undefined, 200],
  ["GET", "/api/regenerate/plan?project=alpha&since=2026-01-31", "/api/regenerate/plan", undefined, 200],
  ["GET", "/api/regenerate/plan?resume=true&project=alpha", "/api/regenerate/plan", undefined, 400],
  ["DELETE", "/api/regenerate?drop=true", "/api/regenerate", undefined, 200],
  ["DELETE", "/api/regenerate?drop=2", "/api/regenerate", undefined, 400],
  ["GET", "/api/sessions/1/injections", "/api/sessions/:id/injections", undefined, 200],
  ["GET", "/api/sessions/1/records?limit=5", "/api/sessions/:id/records", undefined, 200],
  ["GET", "/api/sessions/99/records", "/api/sessions/:id/records", undefined, 404],
  ["GET", "/api/activity?days=7&project=alpha", "/api/activity", undefined, 200],
  ["GET", "/api/activity?days=0", "/api/activity", undefined, 400],
  ["GET", "/api/sessions/99/injections", "/api/sessions/:id/injections", undefined, 404],
  ["DELETE", "/api/observations/1", "/api/observations/:id", undefined, 200],
  ["DELETE", "/api/observations/99", "/api/observations/:id", undefined, 404],
  ["DELETE", "/api/summaries/1", "/api/summaries/:id", undefined, 200],
  ["DELETE", "/api/prompts/1", "/api/prompts/:id", undefined, 200],
  ["DELETE", "/api/sessions/1", "/api/sessions/:id", undefined, 200],
  ["PATCH", "/api/observations/1", "/api/observations/:id", { obs_type: "bugfix", facts: ["f"] }, 200],
  ["PATCH", "/api/observations/1", "/api/observations/:id", {}, 400],
  ["PATCH", "/api/summaries/1", "/api/summaries/:id", { learned: "It is." }, 200],
  ["PATCH", "/api/summaries/1", "/api/summaries/:id", { summary_text: "It is." }, 400],
  ["PATCH", "/api/summaries/99", "/api/summaries/:id", { learned: "It is." }, 404],
  ["PATCH", "/api/prompts/1", "/api/prompts/:id", { prompt_text: "Go." }, 200],
  ["PATCH", "/api/prompts/1", "/api/prompts/:id", { prompt_text: "" }, 400],
  ["PATCH", "/api/prompts/99", "/api/prompts/:id", { prompt_text: "Go." }, 404],
  ["PATCH", "/api/sessions/1", "/api/sessions/:id", { title: "t" }, 200],
  ["PATCH", "/api/sessions/99", "/api/sessions/:id", { title: "t" }, 404],
  ["GET", "/api/observations/1/details", "/api/observations/:id/details", undefined, 200],
  ["GET", "/api/observations/99/details", "/api/observations/:id/details", undefined, 404],
  ["GET", "/api/feed?before=S2&before_epoch=1760000000000&limit=5", "/api/feed", undefined, 200],
  ["GET", "/api/feed?before=S2", "/api/feed", undefined, 400],
  ["GET", "/api/open-work?project=alpha", "/api/open-work", undefined, 200],
  ["GET", "/api/trash?project=alpha", "/api/trash", undefined, 200],
  ["GET", "/api/trash?limit=0", "/api/trash", undefined, 400],
  ["GET", "/api/trash?kind=session&id=1", "/api/trash", undefined, 200],
  ["GET", "/api/trash?kind=session", "/api/trash", undefined, 400],
  ["DELETE", "/api/trash", "/api/trash", undefined, 200],
  ["POST", "/api/trash/1/restore", "/api/trash/:id/restore", {}, 200],
  ["POST", "/api/trash/1/restore", "/api/trash/:id/restore", { all: true }, 400],
  ["POST", "/api/trash/5/restore", "/api/trash/:id/restore", {}, 409],
  ["POST", "/api/trash/99/restore", "/api/trash/:id/restore", {}, 404],
  ["GET", "/api/openapi.json", "", undefined, 200],
  ["GET", "/", "", undefined, 200],
  ["GET", "/tv?project=alpha", "/tv", undefined, 200],
  ["GET", "/tv.html", "", undefined, 200],
  ["GET", "/assets/viewer-3c4d.js", "/assets/:file", undefined, 200],
  ["GET", "/assets/other.js", "/assets/:file", undefined, 404],
  ["GET", "/favicon.ico", "", undefined, 200],
];

test.each(rows)("%s %s answers what its schema says", async (method, url, route, body, status) => {
  const payload = body === undefined ? {} : { payload: body };
  const answer = await world.app.inject({ method, url, headers: local, ...payload });
  expect(answer.statusCode, answer.body).toBe(status);
  const schema = schemaOf(method, route === "" ? url : route, status, String(answer.headers["content-type"]));
  const value: unknown = String(answer.headers["content-type"]).includes("json")
    ? answer.json()
    : answer.body;
  // Equal, not only parsed: a field that the schema does not name would be lost by parsing.
  expect(schema.parse(value)).toEqual(value);
});

test("every registered route but the stream is in the table", () => {
  const covered = new Set(rows.map(([method, url, route]) => `${method} ${route === "" ? url : route}`));
  const missing = world.routes
    .map(({ method, url }) => `${String(method)} ${url}`)
    .filter((name) => !covered.has(name));
  expect(missing).toEqual(["GET /stream"]);
});

function schemaOf(method: string, url: string, status: number, contentType: string): z.ZodType {
  const route = world.routes.find((candidate) => candidate.method === method && candidate.url === url);
  const answers = z.record(z.string(), z.unknown()).parse(route?.schema?.response);
  const answer = answers[String(status)];
  if (answer instanceof z.ZodType) return answer;
  const { content } = z
    .object({ content: z.record(z.string(), z.object({ schema: z.instanceof(z.ZodType) })) })
    .parse(answer);
  const schema = content[contentType.split(";")[0] ?? ""]?.schema;
  if (schema === undefined) throw new Error(`${method} ${url} declares no ${contentType} for ${status}`);
  return schema;
}
