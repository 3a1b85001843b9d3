// OpenCode for the acceptance of hosts.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startChatModel } from "./chat-model.mjs";
import { claudeMemory, countRules, resumed } from "./scenario.mjs";
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
  configure({ home, model, host: { program } }) {
    const folder = join(home, ".config", program);
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
    const settings = join(folder, `${program}.json`);
    writeFileSync(settings, config);
    // OpenCode installs types for plugins in the background; a failure would be tried again for a minute.
    writeFileSync(join(home, ".npmrc"), "fetch-retries=0\n");
    writeFileSync(join(folder, "plugins", "mine.js"), "export const Mine = async () => ({});\n");
    return [settings, ...["mine.js", "mem.js"].map((file) => join(folder, "plugins", file))];
  },

  writes: ["opencode.json", "kilo.json"],
  turn(world, prompt, { resume = false, fork = false }) {
    const again = [...(resume ? ["--continue"] : []), ...(fork ? ["--fork"] : [])];
    return runHeadless(world, ["run", ...again, prompt]);
  },

  ended: ({ code }) => code === 0,

  steps: {
    shell: (command) => ({ call: "bash", input: { command, description: "Run it" } }),
    read: (file) => ({ call: "read", input: { filePath: file } }),
    mem: (tool, input) => [{ call: `mem_${tool}`, input }],
  },

  features: [
    ...resumed,
    {
      feature: "a fork has the rule once",
      async run({ turn }) {
        await turn("Say six.", [{ text: "Six." }]);
        const { requests } = await turn("Say seven.", [{ text: "Seven." }], { resume: true, fork: true });
        const times = countRules(requests[0] ?? "");
        if (times !== 1) throw new Error(`the rule is in the request ${times} times`);
      },
    },
    claudeMemory(),
  ],
};
