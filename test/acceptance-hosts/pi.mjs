// Pi for the acceptance of hosts.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { startChatModel } from "./chat-model.mjs";
import { newerNode, nodeOf } from "./openclaw.mjs";
import { claudeMemory, resumed } from "./scenario.mjs";
import { runHeadless } from "./scripted-model.mjs";

export const pi = {
  name: "pi",
  package: ["@earendil-works/pi-coding-agent@1.6.0", newerNode],
  program: "pi",
  startModel: startChatModel,
  environment: (world) => ({
    ...{ PI_OFFLINE: "1", PI_TELEMETRY: "0", PI_SKIP_VERSION_CHECK: "1" },
    PATH: `${dirname(nodeOf(world))}:${world.env.PATH}`,
  }),

  // With an MCP server and an extension of somebody else.
  configure({ home, model }) {
    const folder = join(home, ".pi", "agent");
    mkdirSync(join(folder, "extensions"), { recursive: true });
    const loop = {
      ...{ baseUrl: `${model.url}/v1`, apiKey: "none", api: "openai-completions" },
      models: [{ id: "scripted" }],
    };
    writeFileSync(join(folder, "models.json"), JSON.stringify({ providers: { loop } }));
    writeFileSync(join(folder, "mcp.json"), '{"mcpServers": {}}\n');
    writeFileSync(join(folder, "extensions", "mine.js"), "export default () => {};\n");
    return ["mcp.json", "extensions/mine.js", "extensions/mem.js"].map((file) => join(folder, file));
  },

  turn(world, prompt, { resume = false }) {
    return runHeadless(world, ["--model", "loop/scripted", ...(resume ? ["--continue"] : []), "-p", prompt]);
  },
  ended: ({ code, text }) => code === 0 && /Ok\.|Done\./.test(text),

  steps: {
    shell: (command) => ({ call: "bash", input: { command } }),
    read: (file) => ({ call: "read", input: { path: file } }),
    mem: (tool, input) => [{ call: `mcp__mem__${tool}`, input }],
  },

  features: [...resumed, claudeMemory()],
};
