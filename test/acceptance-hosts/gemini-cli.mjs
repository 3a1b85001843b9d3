// Gemini CLI for the acceptance of hosts.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startGeminiModel } from "./gemini-model.mjs";
import { claudeMemory, resumed } from "./scenario.mjs";
import { runHeadless } from "./scripted-model.mjs";

export const geminiCli = {
  name: "gemini-cli",
  package: "@google/gemini-cli@0.61.0",
  program: "gemini",
  startModel: startGeminiModel,

  environment: ({ model }) => ({
    GEMINI_API_KEY: "none",
    GOOGLE_GEMINI_BASE_URL: model.url,
    GEMINI_CLI_TRUST_WORKSPACE: "true",
    GEMINI_CLI_NO_RELAUNCH: "true",
    GEMINI_TELEMETRY_ENABLED: "false",
  }),

  folder: ".gemini",
  login: "gemini-api-key",
  afterTool: "AfterTool",

  // With a comment and a hook of somebody else.
  configure({ home, host }) {
    const folder = join(home, host.folder);
    mkdirSync(folder);
    const settings = {
      security: { auth: { selectedType: host.login }, folderTrust: { enabled: false } },
      telemetry: { enabled: false },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      hooks: { [host.afterTool]: [{ matcher: "*", hooks: [{ type: "command", command: "true" }] }] },
    };
    writeFileSync(join(folder, "settings.json"), `// mine\n${JSON.stringify(settings, null, 4)}`);
    return [join(folder, "settings.json")];
  },

  turn(world, prompt, { resume = false }) {
    const again = resume ? ["--resume", "latest"] : [];
    return runHeadless(world, ["-m", "gemini-2.5-pro", "--yolo", ...again, "-p", prompt]);
  },
  ended: ({ code, text }) => code === 0 && /Ok\.|Done\./.test(text),

  steps: {
    shell: (command) => ({ call: "run_shell_command", input: { command, description: "scripted" } }),
    read: (file) => ({ call: "read_file", input: { file_path: file } }),
    mem: (tool, input) => [{ call: `mcp_mem_${tool}`, input }],
  },

  features: [...resumed, claudeMemory()],
};
