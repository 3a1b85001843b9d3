// GitHub Copilot CLI for the acceptance of hosts.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startChatModel } from "./chat-model.mjs";
import { claudeMemory, resumed } from "./scenario.mjs";
import { runHeadless } from "./scripted-model.mjs";

// `view` takes absolute paths only.
let folderOfProject = "";

export const copilotCli = {
  name: "copilot-cli",
  package: "@github/copilot@1.0.102",
  program: "copilot",
  startModel: startChatModel,

  environment: ({ model }) => ({
    COPILOT_OFFLINE: "true",
    COPILOT_AUTO_UPDATE: "false",
    COPILOT_PROVIDER_BASE_URL: `${model.url}/v1`,
    COPILOT_PROVIDER_TYPE: "openai",
    COPILOT_MODEL: "gpt-4.1",
  }),

  // With another MCP server and another file of hooks.
  configure({ home, project }) {
    folderOfProject = project;
    const folder = join(home, ".copilot");
    mkdirSync(join(folder, "hooks"), { recursive: true });
    const others = { version: 1, hooks: { Stop: [{ type: "command", bash: "true", timeoutSec: 3 }] } };
    writeFileSync(join(folder, "hooks", "other.json"), JSON.stringify(others));
    writeFileSync(join(folder, "config.json"), JSON.stringify({ trusted_folders: [project] }));
    writeFileSync(join(folder, "mcp-config.json"), '{"mcpServers": {}}\n');
    return ["hooks/mem.json", "hooks/other.json", "mcp-config.json"].map((file) => join(folder, file));
  },

  turn(world, prompt, { resume = false }) {
    const again = resume ? ["--continue"] : [];
    const words = ["--allow-tool=shell", "--allow-tool=write", "--no-color", ...again, "-p", prompt];
    return runHeadless(world, words);
  },
  ended: ({ code, text }) => code === 0 && /Ok\.|Done\./.test(text),

  steps: {
    shell: (command) => ({ call: "bash", input: { command, description: "scripted" } }),
    read: (file) => ({ call: "view", input: { path: join(folderOfProject, file) } }),
    mem: (tool, input) => [{ call: `mem-${tool}`, input }],
  },

  features: [
    ...resumed,
    claudeMemory(),
    {
      feature: "the last message of a turn is read from the transcript",
      async run({ turn, json, settled }) {
        await turn("Decide on a port.", [{ text: "We decided to use port 4711, because 80 is taken." }]);
        await settled();
        const { items } = await json("search", "4711");
        if (!JSON.stringify(items).includes("4711")) throw new Error("the message was not recorded");
      },
    },
  ],
};
