// Random calls of everything that recalls, each for one project, with the words, files and ids of others.
import { join } from "node:path";
import type { McpClient } from "../cli/mcp/connect.ts";
import type { Random } from "../helpers/random.ts";
import type { Answer, WorkerProcess } from "../helpers/worker-process.ts";
import type { CanaryProject } from "./canary-world.ts";

interface Choice {
  worker: WorkerProcess;
  mcp: McpClient;
  random: Random;
  own: CanaryProject;
  /** Another project, or the same. */
  other: CanaryProject;
  /** The highest id to ask for. */
  mostIds: number;
  /** Names this call. */
  number: number;
}

/** Every kind of call, by name. */
export const canaryCalls: Readonly<Record<string, (choice: Choice) => Promise<string>>> = {
  ...routeCalls(),
  ...hookCalls(),
  ...toolCalls(),
};

function routeCalls(): Record<string, (choice: Choice) => Promise<string>> {
  const route = (path: string, parameters: (choice: Choice) => Record<string, unknown>) =>
    async function call(choice: Choice): Promise<string> {
      const given = { project: choice.own.label, ...parameters(choice) };
      const query = new URLSearchParams();
      for (const [name, value] of Object.entries(given)) if (value !== null) query.set(name, String(value));
      return said(await choice.worker.get(`${path}?${query}`));
    };
  const listed = ({ random }: Choice) => ({
    format: random.pick(["index", "full"]),
    limit: random.between(1, 100),
  });
  // The first calls from the beginning: a project has one summary, and chance alone may never ask for it.
  const paged = ({ random, number }: Choice) => ({
    limit: random.between(1, 100),
    offset: number < 50 ? 0 : random.between(0, 3),
  });
  return {
    "/api/search": route("/api/search", (choice) => ({ ...listed(choice), ...searched(choice) })),
    "/api/timeline": route("/api/timeline", (choice) => ({
      ...anchored(choice),
      depth_before: choice.random.between(0, 100),
      depth_after: choice.random.between(0, 100),
    })),
    "/api/decisions": route("/api/decisions", listed),
    "/api/changes": route("/api/changes", listed),
    "/api/how-it-works": route("/api/how-it-works", listed),
    "/api/search/by-concept": route("/api/search/by-concept", (choice) => ({
      ...listed(choice),
      concept: choice.random.pick(["gotcha", "what-changed"]),
    })),
    "/api/search/by-file": route("/api/search/by-file", (choice) => ({
      ...listed(choice),
      filePath: fileOf(choice),
    })),
    "/api/search/by-type": route("/api/search/by-type", (choice) => ({
      ...listed(choice),
      type: choice.random.pick(["bugfix", "decision", "change"]),
    })),
    "/api/observations/by-file": route("/api/observations/by-file", (choice) => ({ path: fileOf(choice) })),
    "/api/observations": route("/api/observations", paged),
    "/api/summaries": route("/api/summaries", paged),
    "/api/prompts": route("/api/prompts", paged),
    "/api/context/recent": route("/api/context/recent", ({ random }) => ({ limit: random.between(1, 100) })),
    "/api/context/inject": route("/api/context/inject", ({ random }) => ({
      colors: random.pick(["true", "false"]),
    })),
    "/api/context/preview": route("/api/context/preview", () => ({})),
    "/api/observations/batch": async ({ worker, own, random, mostIds }) => {
      // One id of this tenant among ids of other tenants.
      const ids = [...Array.from({ length: 20 }, () => random.between(1, mostIds)), random.pick(own.ids)];
      return said(await worker.post("/api/observations/batch", { ids, project: own.label }));
    },
  };
}

// What a host is given when a session begins, when its user asks and before a file is read.
function hookCalls(): Record<string, (choice: Choice) => Promise<string>> {
  const hook = (event: string, payload: (choice: Choice) => object) =>
    async function call(choice: Choice): Promise<string> {
      const { worker, own, number } = choice;
      const base = { session_id: `call ${number}`, cwd: own.cwd, hook_event_name: event };
      return said(await worker.post(`/api/hooks/claude-code/${event}`, { ...base, ...payload(choice) }));
    };
  return {
    "hook SessionStart": hook("SessionStart", () => ({ source: "startup" })),
    "hook UserPromptSubmit": hook("UserPromptSubmit", ({ other, number }) => ({
      prompt: `why did the login redirect of ${other.lure} loop?`,
      prompt_id: `prompt ${number}`,
    })),
    "hook PreToolUse": hook("PreToolUse", (choice) => ({
      tool_name: choice.random.pick(["Read", "Edit"]),
      tool_input: { file_path: fileOf(choice) },
    })),
  };
}

function toolCalls(): Record<string, (choice: Choice) => Promise<string>> {
  const tool = (name: string, given: (choice: Choice) => Record<string, unknown>) =>
    async function call(choice: Choice): Promise<string> {
      const { text, structured } = await choice.mcp.call(name, {
        project: choice.own.label,
        ...given(choice),
      });
      return `${text}${JSON.stringify(structured)}`;
    };
  return {
    "mcp search": tool("search", ({ random, other }) => ({
      query: random.pick([other.lure, "login redirect"]),
      limit: random.between(1, 100),
    })),
    "mcp timeline": tool("timeline", anchored),
    "mcp recent": tool("recent", ({ random }) => ({ limit: random.between(1, 100) })),
    "mcp get_observations": tool("get_observations", ({ random, own, mostIds }) => ({
      ids: [
        ...Array.from({ length: 29 }, () => `${random.pick(["", "S", "P"])}${random.between(1, mostIds)}`),
        String(random.pick(own.ids)),
      ],
    })),
  };
}

// Null leaves the parameter out.
function searched({ random, other }: Choice): Record<string, unknown> {
  return {
    query: random.pick([other.lure, "login redirect", `why did ${other.lure} loop?`, "lur", null]),
    type: random.pick(["observations", "sessions", "prompts", null]),
    obs_type: random.pick(["bugfix", null, null]),
    concepts: random.pick(["gotcha", null, null]),
    files: random.pick(["login.ts", null, null]),
    dateStart: random.pick(["2020-01-01", null]),
    offset: random.pick([0, 0, 1]),
  };
}

function anchored(choice: Choice): Record<string, unknown> {
  const { random, other, mostIds } = choice;
  const record = `${random.pick(["", "S", "P"])}${random.between(1, mostIds)}`;
  const moment = new Date(Date.now() - random.between(0, 120) * 1000).toISOString();
  return random.pick([{ anchor: record }, { anchor: moment }, { query: other.lure }, { query: "redirect" }]);
}

function fileOf({ random, own, other }: Choice): string {
  return random.pick([
    "src/login.ts",
    "login.ts",
    join(own.cwd, "src/login.ts"),
    join(other.cwd, "src/login.ts"),
    "/elsewhere/src/login.ts",
  ]);
}

function said({ status, body }: Answer): string {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  if (status >= 500) throw new Error(`answered ${status}: ${text}`);
  return text;
}
