// Qwen Code for the acceptance of hosts: Gemini CLI with another model, and other names.
import { join } from "node:path";
import { startChatModel } from "./chat-model.mjs";
import { geminiCli } from "./gemini-cli.mjs";
import { runHeadless } from "./scripted-model.mjs";

// The tool takes absolute paths only.
let folderOfProject = "";

export const qwenCode = {
  ...geminiCli,
  name: "qwen-code",
  package: "@qwen-code/qwen-code@0.24.4",
  program: "qwen",
  startModel: startChatModel,
  environment({ model, project }) {
    folderOfProject = project;
    return { OPENAI_BASE_URL: `${model.url}/v1`, OPENAI_API_KEY: "none", OPENAI_MODEL: "scripted" };
  },
  folder: ".qwen",
  login: "openai",
  afterTool: "PostToolUse",
  // It adds a version to its settings.
  writes: ["settings.json"],
  turn: (world, prompt, { resume = false }) =>
    runHeadless(world, ["--yolo", ...(resume ? ["--continue"] : []), "-p", prompt]),
  steps: {
    shell: (command) => ({ call: "run_shell_command", input: { command, is_background: false } }),
    read: (file) => ({ call: "read_file", input: { file_path: join(folderOfProject, file) } }),
    mem: (tool, input) => [{ call: `mcp__mem__${tool}`, input }],
  },
};
