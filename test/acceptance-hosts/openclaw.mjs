// OpenClaw for the acceptance of hosts: its gateway runs from the consent on, and turns come through it. It needs a newer Node
// than `mem`, which comes from npm as well.
import { execFile, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startChatModel } from "./chat-model.mjs";
import { claudeMemory } from "./scenario.mjs";

const port = 18_937;
const nodePackage = `node-${process.platform}-${process.arch}`;
/** A newer Node than that of `mem`, for hosts that need one. */
export const newerNode = `${nodePackage}@24.18.0`;
let gateway;
let turns = 0;

export const openclaw = {
  name: "openclaw",
  package: ["openclaw@2026.9.6", newerNode],
  program: "openclaw",
  environment: () => ({ OPENCLAW_GATEWAY_TOKEN: "loopback" }),

  async startModel() {
    const model = await startChatModel();
    return {
      ...model,
      close() {
        gateway?.kill("SIGKILL");
        model.close();
      },
    };
  },

  // With a comment, single quotes, and the project that the user has set for the plugin.
  configure({ home, project, model }) {
    const folder = join(home, ".openclaw");
    mkdirSync(folder);
    const of = JSON.stringify;
    const models = `[{ id: 'loop', name: 'Loop', reasoning: false, input: ['text'], contextWindow: 120000, maxTokens: 4096,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } }]`;
    const text = `// my gateway
{
  gateway: { mode: 'local', port: ${port}, bind: 'loopback', auth: { mode: 'token', token: 'loopback' } },
  agents: { defaults: { workspace: ${of(project)}, model: { primary: 'loop/loop' }, skipBootstrap: true } },
  models: { mode: 'merge', providers: { loop: { baseUrl: ${of(`${model.url}/v1`)}, apiKey: 'none', api: 'openai-completions',
    models: ${models} } } },
  tools: { exec: { security: 'full', ask: 'off' } }, // no sandbox here
  plugins: { entries: { mem: { config: { project: 'shop' } } } },
}
`;
    writeFileSync(join(folder, "openclaw.json"), text);
    return [join(folder, "openclaw.json")];
  },

  // The restart of the gateway.
  async consent(world) {
    gateway?.kill("SIGTERM");
    let output = "";
    const words = ["gateway", "run", "--port", String(port)];
    gateway = spawn(nodeOf(world), [world.program, ...words], { cwd: world.project, env: world.env });
    for (const stream of [gateway.stdout, gateway.stderr])
      stream.on("data", (chunk) => {
        output += chunk;
      });
    for (let tries = 0; !output.includes("gateway-start-hooks"); tries += 1) {
      if (tries > 1_200) throw new Error(`the gateway did not start: ${output.slice(-600)}`);
      await sleep(100);
    }
  },

  turn(world, prompt) {
    const key = `agent:main:turn-${++turns}`;
    const words = ["agent", "--session-key", key, "--message", prompt, "--json", "--timeout", "90"];
    return new Promise((resolve) => {
      const options = { cwd: world.project, env: world.env, timeout: 120_000 };
      execFile(nodeOf(world), [world.program, ...words], options, (failure, stdout) =>
        resolve({ code: failure?.code ?? 0, stdout }),
      );
    });
  },

  ended: ({ code, stdout }) => code === 0 && stdout.includes('"completed"'),

  steps: {
    shell: (command) => ({ call: "exec", input: { command } }),
    read: (file) => ({ call: "read", input: { path: file } }),
    // The gateway keeps tools of MCP servers behind its catalog.
    mem: (tool, args) => [{ call: "tool_call", input: { id: `mem__${tool}`, args } }],
  },

  features: [claudeMemory()],
};

export function nodeOf({ root }) {
  return process.env.HOST_NODE ?? join(root, "packages", "node_modules", nodePackage, "bin", "node");
}
