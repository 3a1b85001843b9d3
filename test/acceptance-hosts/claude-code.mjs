// Claude Code for the acceptance of hosts.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startMessagesModel } from "./messages-model.mjs";
import { countRules, resumed } from "./scenario.mjs";
import { runHeadless } from "./scripted-model.mjs";

const version = "2.1.332";
const platform = `${process.platform}-${process.arch}`;
// The tool takes absolute paths only.
let folderOfProject = "";

export const claudeCode = {
  name: "claude-code",
  // The script of the first one would only put the program of the second into its place.
  package: [`@anthropic-ai/claude-code@${version}`, `@anthropic-ai/claude-code-${platform}@${version}`],
  program: "claude",
  binary: join("@anthropic-ai", `claude-code-${platform}`, "claude"),
  startModel: startMessagesModel,

  environment: ({ model }) => ({
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: "none",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    // It refuses to skip the questions about permissions for root otherwise.
    IS_SANDBOX: "1",
  }),

  // With a hook and an MCP server of somebody else.
  configure({ home, project }) {
    folderOfProject = project;
    const folder = join(home, ".claude");
    mkdirSync(folder);
    const other = { matcher: "Bash", hooks: [{ type: "command", command: "true", timeout: 3 }] };
    const permissions = { allow: ["Bash(ls:*)"], deny: [] };
    const settings = { cleanupPeriodDays: 30, permissions, hooks: { PostToolUse: [other] } };
    writeFileSync(join(folder, "settings.json"), JSON.stringify(settings, null, 4));
    // The host itself writes the second one.
    writeFileSync(join(home, ".claude.json"), '{"mcpServers": {"other": {"command": "true"}}}\n');
    return [join(folder, "settings.json"), join(home, ".claude.json")];
  },

  writes: [".claude.json"],

  turn(world, prompt, { resume = false }) {
    const again = resume ? ["--continue"] : [];
    const form = ["--output-format", "stream-json", "--verbose", "--dangerously-skip-permissions"];
    return runHeadless(world, [...again, "--print", prompt, ...form]);
  },

  ended: ({ code, text }) => code === 0 && text.includes('"subtype":"success"'),

  steps: {
    shell: (command) => ({ call: "Bash", input: { command, description: "scripted" } }),
    read: (file) => ({ call: "Read", input: { file_path: join(folderOfProject, file) } }),
    mem: (tool, input) => [{ call: `mcp__mem__${tool}`, input }],
  },
  features: [
    {
      feature: "a compaction gives the rule back",
      async run({ turn }) {
        await turn("Say one.", [{ text: "One." }]);
        await turn("/compact", [{ text: "A summary." }], { resume: true });
        const { requests } = await turn("Say two.", [{ text: "Two." }], { resume: true });
        const [first = ""] = requests;
        if (!first.includes("A summary.")) throw new Error(`no compaction: ${first.slice(-300)}`);
        const times = countRules(first);
        if (times !== 1) throw new Error(`the rule is in the request after it ${times} times`);
      },
    },
    ...resumed,
    {
      feature: "the work of a sub-agent belongs to the session",
      async run({ turn, json, settled, host: { steps } }) {
        const call = {
          call: "Agent",
          input: {
            description: "Look",
            prompt: "Look at it.",
            subagent_type: "general-purpose",
            run_in_background: false,
          },
        };
        const work = steps.shell("echo 'seen by both' > both.txt");
        const { requests } = await turn("Let somebody look.", [
          call,
          work,
          { text: "Seen." },
          { text: "Both." },
        ]);
        if (!requests.join("").includes("Look at it.")) throw new Error("no sub-agent was started");
        await settled();
        const { items } = await json("search", "both", "--limit", "50");
        if (!JSON.stringify(items).includes("both.txt")) throw new Error("its work was not recorded");
        const { items: prompts } = await json("search", "Look at it", "--type", "prompts");
        if (JSON.stringify(prompts).includes("Look at it."))
          throw new Error("its prompt is a prompt of the user");
      },
    },
  ],
};
