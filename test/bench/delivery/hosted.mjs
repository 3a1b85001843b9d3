// The hosted server as a sender of events has it: `mem server` on a private PostgreSQL, its projects, events and context.
import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { makeProject, serverModules, startBenchPostgres } from "../server-home.mjs";
import { benchHome, own, root } from "../worker.mjs";
import { sessionsBetween } from "./between.mjs";
import { createSession } from "./claude-code-session.mjs";

/**
 * As `deliver`, over `/v1/events` and `/v1/context`: the start is the context without words, the prompt that with its words.
 * A server has no moment of an action.
 */
export async function deliverHosted(scenarios, { set, noiseSessions, mixed }) {
  const product = await serverModules();
  const postgres = await startBenchPostgres(product);
  let server;
  try {
    server = await startServer(postgres.url);
    const { url } = server;
    const projects = await Promise.all(
      scenarios.map(async (scenario, at) => {
        const scope = await makeProject(product, postgres.database, `team ${at}`, "app");
        return { scenario, client: createClient(url, await teamKey(product, postgres.database, scope)) };
      }),
    );
    const waiting = [...projects];
    const lane = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const between = sessionsBetween(next.scenario, { ...set, noiseSessions, mixed });
        await feed(next, [...next.scenario.past, ...between]);
      }
    };
    await Promise.all(Array.from({ length: parallel }, lane));
    await drained(postgres.database);
    const injected = [];
    for (const { scenario, client } of projects) {
      const start = await client.context({});
      const prompt = await client.context({ query: scenario.now.prompt });
      injected.push({ start, prompt });
    }
    return injected;
  } finally {
    await server?.stop();
    await postgres.remove();
  }
}

const parallel = 3;

async function startServer(databaseUrl) {
  const home = benchHome();
  const child = own(
    spawn(process.execPath, [`${root}/bin/mem.js`, "server", "--port", "0"], {
      env: {
        ...home.env,
        MEM_PROVIDER: "local",
        MEM_DATABASE_URL: databaseUrl,
        MEM_AUTH_MODE: "api-key",
        MEM_RATE_LIMIT_PER_MIN: "0",
        MEM_LOG_LEVEL: "WARN",
      },
      stdio: ["ignore", "pipe", "inherit"],
    }),
  );
  const url = await new Promise((resolve, reject) => {
    let printed = "";
    child.stdout.on("data", (text) => {
      printed += text;
      const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}: ${printed}`)));
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  return {
    url,
    async stop() {
      child.kill("SIGTERM");
      await exited;
      home.remove();
    },
  };
}

// Reaches the whole team: rules for everywhere are shown to no other key.
async function teamKey(product, database, { team_id }) {
  const scopes = ["memories:read", "memories:write"];
  const owner = { team_id, project_id: null, scopes };
  const made = product.freshKey(owner, { label: "", expiresInDays: 1, now: Date.now() });
  await product.insertKey(database.system, { ...made, parent_id: null });
  return made.apiKey;
}

function createClient(url, apiKey) {
  async function post(path, body) {
    const response = await fetch(`${url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
    return JSON.parse(text);
  }
  return {
    send: (events) => post("/v1/events/batch", { events }),
    context: async (asked) => (await post("/v1/context", { projectId: "app", ...asked })).context,
  };
}

async function feed({ scenario, client }, sessions) {
  for (const [at, { turns }] of sessions.entries()) {
    const contentSessionId = `${scenario.id} ${at}`;
    const session = createSession({ name: contentSessionId, directory: "/home/dev/app", home: "/home/dev" });
    const event = (eventType, payload) => ({
      projectId: "app",
      sourceType: "hook",
      eventType,
      occurredAtEpoch: Date.now(),
      contentSessionId,
      platformSource: "claude-code",
      payload,
    });
    for (const { prompt, did = [], closing } of turns) {
      const turn = session.turn(prompt);
      const uses = did.map((use) => event("tool_use", useOf(turn.tool(use).after())));
      const said = [
        event("user_prompt", { prompt }),
        ...uses,
        event("stop", { last_assistant_message: closing }),
      ];
      // One after the other: the events of a batch are stored in no order.
      for (const one of said) await client.send([one]);
    }
    await client.send([event("session_end", {})]);
  }
}

function useOf({ tool_name, tool_input, tool_response, error, cwd }) {
  const answered = error === undefined ? { tool_response } : { tool_response: error, tool_failed: true };
  return { tool_name, tool_input, cwd, ...answered };
}

const stalledMs = 120_000;

/** Waits until no job is left. Throws when one failed, or nothing moves. */
async function drained({ system }) {
  let last = { left: Number.POSITIVE_INFINITY, at: performance.now() };
  for (;;) {
    const { rows } = await system.query({
      text: `select count(*) filter (where status in ('queued', 'processing'))::int as left,
          count(*) filter (where status = 'failed')::int as failed
        from generation_jobs`,
    });
    const [{ left, failed }] = rows;
    if (failed > 0) throw new Error(`${failed} jobs of the server failed`);
    if (left === 0) return;
    if (left !== last.left) last = { left, at: performance.now() };
    if (performance.now() - last.at > stalledMs) throw new Error(`the server has ${left} jobs left`);
    await sleep(200);
  }
}
