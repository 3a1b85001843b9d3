// Codex CLI for the acceptance of hosts.
import { execFile, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { claudeCode } from "./claude-code.mjs";
import { startResponsesModel } from "./responses-model.mjs";
import { claudeMemory, countRules, installed, resumed } from "./scenario.mjs";

export const codex = {
  name: "codex",
  package: "@openai/codex@0.171.0",
  program: "codex",
  startModel: startResponsesModel,
  environment: () => ({}),

  // With settings, a comment and a hook of somebody else.
  configure({ home, model }) {
    const folder = join(home, ".codex");
    mkdirSync(folder);
    const config = [
      "# my settings",
      'model = "gpt-5"',
      'model_provider = "loop"',
      'approval_policy = "never"',
      'sandbox_mode = "danger-full-access" # no sandbox here',
      "model_auto_compact_token_limit = 20000",
      "",
      "[model_providers.loop]",
      'name = "loop"',
      `base_url = "${model.url}/v1"`,
      'wire_api = "responses"',
      "",
    ];
    writeFileSync(join(folder, "config.toml"), config.join("\n"));
    const others = { hooks: { Stop: [{ hooks: [{ type: "command", command: "true", timeout: 3 }] }] } };
    writeFileSync(join(folder, "hooks.json"), JSON.stringify(others, null, 4));
    return [join(folder, "config.toml"), join(folder, "hooks.json")];
  },

  // The trust of hooks, in the consent below.
  writes: ["config.toml"],

  turn({ program, project, env }, prompt, { resume = false }) {
    return new Promise((resolve) => {
      const again = resume ? ["resume", "--last"] : [];
      const words = ["exec", ...again, "--skip-git-repo-check", "--json", prompt];
      const child = execFile(program, words, { cwd: project, env, timeout: 120_000 }, (failure, stdout) =>
        resolve({ code: failure?.code ?? 0, events: stdout.split("\n").filter((line) => line !== "") }),
      );
      child.stdin.end();
    });
  },

  ended: ({ code, events }) => code === 0 && events.some((line) => line.includes('"turn.completed"')),

  steps: {
    shell: (cmd) => ({ call: "exec_command", input: { cmd } }),
    read: (file) => ({ call: "exec_command", input: { cmd: `sed -n 1,80p ${file}` } }),
    mem: (tool, input) => [{ call: tool, namespace: "mcp__mem", input }],
  },

  features: [
    {
      feature: "mem doctor tells whether the hooks are trusted",
      async run(world) {
        const after = await doctorLine(world);
        if (!/skips 7 of 7/.test(world.untrusted)) throw new Error(`before: ${world.untrusted}`);
        if (!/7 hooks .*trusted/.test(after)) throw new Error(`after: ${after}`);
      },
    },
    {
      feature: "a compaction inside a turn gives the rule back",
      async run({ turn, host: { steps } }) {
        // The answer of 30,000 tokens makes Codex ask for a summary; its next request has the summary alone.
        const long = { ...steps.shell("echo one"), tokens: 30_000 };
        const { requests } = await turn("Say one.", [long, { text: "A summary." }, { text: "One." }]);
        const [last = ""] = requests.slice(-1);
        if (!last.includes("A summary.")) throw new Error(`no compaction in ${requests.length} requests`);
        const times = countRules(last);
        if (times !== 1) throw new Error(`the rule is in the request after it ${times} times`);
      },
    },
    ...resumed,
    claudeMemory(keptByClaude),
    {
      feature: "the work of a sub-agent belongs to the session",
      async run({ turn, json, settled, host: { steps } }) {
        const spawn = { call: "spawn_agent", namespace: "multi_agent_v1", input: { message: "Look at it." } };
        const work = steps.shell("echo 'seen by both' > both.txt && sleep 1");
        await turn("Let somebody look.", [spawn, work, work, work, { text: "Both." }, { text: "Seen." }]);
        await settled();
        const { items } = await json("search", "both", "--limit", "50");
        if (!JSON.stringify(items).includes("both.txt")) throw new Error("its work was not recorded");
        const { items: prompts } = await json("search", "Look at it", "--type", "prompts");
        if (JSON.stringify(prompts).includes("Look at it."))
          throw new Error("its prompt is a prompt of the user");
      },
    },
  ],

  // What `/hooks` does when the user trusts all of them.
  async consent(world) {
    const { program, env, project } = world;
    world.untrusted = await doctorLine(world);
    await inAppServer({ program, env, cwd: project }, async (request) => {
      const { data } = await request("hooks/list", { cwds: [project] });
      const hooks = data.flatMap((list) => list.hooks);
      const state = Object.fromEntries(
        hooks.map(({ key, currentHash }) => [key, { trusted_hash: currentHash }]),
      );
      const edit = { keyPath: "hooks.state", value: state, mergeStrategy: "upsert" };
      await request("config/batchWrite", { edits: [edit] });
    });
  },
};

/** The real Claude Code, whose agent writes the file in a session of the same project. */
async function keptByClaude(world, file_path, content) {
  const model = await claudeCode.startModel();
  try {
    const program = await installed(claudeCode, world.root);
    const env = { ...world.env, ...claudeCode.environment({ model }) };
    model.script([{ call: "Write", input: { file_path, content } }, { text: "Noted." }]);
    const { code, stderr } = await claudeCode.turn({ ...world, program, env }, "Where do fixtures go?", {});
    if (code !== 0) throw new Error(`Claude Code ended with ${code}: ${stderr.slice(-300)}`);
  } finally {
    model.close();
  }
}

// It exits with 1 when a check fails.
async function doctorLine({ mem }) {
  const { stdout } = await mem("doctor", "--json").catch((failure) => failure);
  return JSON.stringify(JSON.parse(stdout).items.find(({ name }) => name === "Codex CLI"));
}

async function inAppServer({ program, env, cwd }, work) {
  const child = spawn(program, ["app-server"], { env, cwd, stdio: ["pipe", "pipe", "ignore"] });
  const waiting = new Map();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { id, result, error } = JSON.parse(line);
    const asked = waiting.get(id);
    if (error === undefined) asked?.resolve(result);
    else asked?.reject(new Error(error.message));
  });
  const send = (message) => child.stdin.write(`${JSON.stringify(message)}\n`);
  const request = (method, params) =>
    new Promise((resolve, reject) => {
      const id = waiting.size + 1;
      waiting.set(id, { resolve, reject });
      send({ id, method, params });
    });
  try {
    await request("initialize", { clientInfo: { name: "acceptance", title: "acceptance", version: "1" } });
    send({ method: "initialized" });
    await work(request);
  } finally {
    child.stdin.end();
  }
}
