// OpenCode for the acceptance of hosts.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startChatModel } from "./chat-model.mjs";
import { claudeMemory } from "./scenario.mjs";
import { runHeadless } from "./scripted-model.mjs";

export const opencode = {
  name: "opencode",
  package: "opencode-ai@1.18.33",
  program: "opencode",
  // Its package holds no program: a script links that of the platform.
  needsScripts: true,
  startModel: startChatModel,
  environment: () => ({ OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" }),

  // With comments, an MCP server and a plugin of somebody else.
  configure({ home, model }) {
    const folder = join(home, ".config", "opencode");
    mkdirSync(join(folder, "plugins"), { recursive: true });
    const config = `{
  // my provider
  "provider": {
    "loop": {
      "npm": "@ai-sdk/openai-compatible",
      "options": { "baseURL": "${model.url}/v1", "apiKey": "none" },
      "models": { "scripted": {} },
    },
  },
  "model": "loop/scripted", /* the only one */
  "permission": { "bash": "allow", "edit": "allow" },
  "autoupdate": false,
}
`;
    writeFileSync(join(folder, "opencode.json"), config);
    // OpenCode installs types for plugins in the background; a failure would be tried again for a minute.
    writeFileSync(join(home, ".npmrc"), "fetch-retries=0\n");
    writeFileSync(join(folder, "plugins", "mine.js"), "export const Mine = async () => ({});\n");
    return [
      join(folder, "opencode.json"),
      join(folder, "plugins", "mine.js"),
      join(folder, "plugins", "mem.js"),
    ];
  },

  writes: ["opencode.json"],
  turn: (world, prompt) => runHeadless(world, ["run", prompt]),

  ended: ({ code }) => code === 0,

  steps: {
    shell: (command) => ({ call: "bash", input: { command, description: "Run it" } }),
    read: (file) => ({ call: "read", input: { filePath: file } }),
    mem: (tool, input) => [{ call: `mem_${tool}`, input }],
  },

  features: [claudeMemory()],
};
