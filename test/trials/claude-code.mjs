// Trial of the hooks with a real Claude Code: a private HOME and data directory, and a scripted Messages server on
// loopback with a made-up key. Not run by `npm test`: node test/trials/claude-code.mjs <path of claude>
import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startMessagesModel } from "../acceptance-hosts/messages-model.mjs";

const [command] = process.argv.slice(2);
if (command === undefined) throw new Error("usage: node test/trials/claude-code.mjs <path of claude>");

const root = mkdtempSync(join(tmpdir(), "mem-host-trial-"));
const [home, project, bin] = ["home", "shop", "bin"].map((name) => join(root, name));
for (const folder of [home, project, bin]) mkdirSync(folder);
const mem = fileURLToPath(new URL("../../bin/mem.js", import.meta.url));
symlinkSync(mem, join(bin, "mem"));
symlinkSync(command, join(bin, "claude"));
const faults = [];

function hold(what, isHeld, detail = "") {
  console.log(`${isHeld ? "  held" : "BROKEN"}  ${what}${detail === "" ? "" : `: ${detail}`}`);
  if (!isHeld) faults.push(what);
}

const model = await startMessagesModel();
const { seen, url } = model;
// The data directory is where a user's is; the provider is left as it comes, and `claude` is on PATH without a login.
const environment = {
  PATH: `${bin}:${dirname(process.execPath)}:/usr/bin:/bin`,
  HOME: home,
  TMPDIR: root,
  SHELL: "/bin/bash",
  MEM_DATA_DIR: join(home, ".mem"),
  MEM_WORKER_PORT: "0",
  // What the start of a session shows is not shown again with its prompt: the older records are left for that.
  MEM_CONTEXT_OBSERVATIONS: "1",
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_API_KEY: "made-up-key",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_AUTOUPDATER: "1",
  DISABLE_TELEMETRY: "1",
  DISABLE_ERROR_REPORTING: "1",
  IS_SANDBOX: "1",
  // Whatever would leave this machine ends here.
  HTTPS_PROXY: url,
  HTTP_PROXY: url,
  NO_PROXY: "127.0.0.1,localhost",
};

const run = promisify(execFile);

/** What the host prints: the events of the session, as its stream has them. */
async function turn(prompt, steps, { resume } = {}) {
  model.script(steps);
  const from = seen.requests.length;
  const words = ["--print", prompt, "--output-format", "stream-json", "--verbose"];
  const more = ["--dangerously-skip-permissions", ...(resume === undefined ? [] : ["--resume", resume])];
  const started = run(command, [...words, ...more], { cwd: project, env: environment, timeout: 180_000 });
  started.child.stdin.end();
  const { stdout } = await started.catch((failure) => failure);
  const events = stdout.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
  const session = events.find(({ session_id }) => session_id !== undefined)?.session_id;
  return {
    stdout,
    session,
    requests: seen.requests.slice(from).map((request) => JSON.stringify(request)),
    left: model.left(),
  };
}

function cli(...words) {
  return execFileSync(process.execPath, [mem, ...words], {
    env: environment,
    cwd: project,
    encoding: "utf8",
  });
}

const json = (...words) => JSON.parse(cli(...words, "--json"));

async function settled() {
  for (let tries = 0; tries < 300; tries += 1) {
    const { worker } = json("status");
    if (worker.queue?.depth === 0) return worker;
    await sleep(200);
  }
  throw new Error("the queue did not get empty");
}

async function records() {
  const { port } = json("status").worker;
  const read = async (path) => (await fetch(`http://127.0.0.1:${port}${path}?limit=100`)).json();
  const items = async (path) => (await read(path)).items ?? [];
  return { observations: await items("/api/observations"), summaries: await items("/api/summaries") };
}

const bash = (line) => ({ call: "Bash", input: { command: line, description: "" } });
const write = (name, content) => ({ call: "Write", input: { file_path: join(project, name), content } });

try {
  console.log(
    `Claude Code ${execFileSync(command, ["--version"], { env: environment, encoding: "utf8" }).trim()}`,
  );
  writeFileSync(join(project, "quota.ts"), "export const mostUploads = 5;\n");
  cli("install", "claude-code");

  console.log("\n22: `claude` on PATH without a login that mem can use");
  const first = await turn("Run the failing script", [
    bash("cat uploads/list.txt"),
    bash("true && echo fine"),
    write("limits.md", "Uploads: five a day\n"),
    { text: "The script needs an upload folder." },
  ]);
  hold("the host took all steps", first.left === 0, `session ${first.session}`);
  await settled();
  const { observations } = await records();
  hold(
    "local writes instead of the refused login",
    observations.length >= 2 && observations.every(({ generator }) => generator === "local"),
    `${observations.length} observations`,
  );
  const second = await turn("Say hello", [{ text: "Hello." }]);
  hold("no session hears of a login", !/refuses access|\/login/.test(second.stdout + second.requests.join()));
  const status = cli("status");
  hold("mem status says who writes, and why", /local writes; primary .*: access refused/.test(status));
  console.log(`        ${/Provider.*/.exec(status)?.[0]}`);
  hold("mem status has no notice", json("status").warnings.length === 0, json("status").warnings.join(" "));
  const doctor = json("doctor").items;
  const provider = JSON.stringify(doctor).match(/"Provider"[^}]*/)?.[0] ?? "";
  hold(
    "doctor advises what fits a key behind an address",
    provider.includes("LLM_BASE_URL"),
    provider.slice(0, 400),
  );

  console.log("\n20: prompts and the words of templates");
  const poem = await turn("Write a poem about the exit of Britain", [{ text: "Roses." }]);
  const injected = (requests) => requests.filter((text) => text.includes("that fit this prompt")).length;
  hold("nothing is injected for the exit of Britain", injected(poem.requests) === 0);
  const upload = await turn("Where do uploads go?", [{ text: "Nowhere." }]);
  hold("what a record quotes is injected", injected(upload.requests) > 0);

  console.log("\n21: our own answers, and the question");
  const before = (await records()).observations.length;
  const { port } = json("status").worker;
  const asking = "What is known about the upload folder?";
  const asked = await turn(asking, [
    bash("mem search 'upload folder'"),
    bash(`cd ${project} && mem search 'What is known about the upload folder' | head -5`),
    bash(`curl -s 'http://127.0.0.1:${port}/api/search?query=upload'`),
    bash("mem search upload && echo changed > changed.txt"),
    { text: "It is missing." },
  ]);
  await settled();
  const after = (await records()).observations;
  const made = after.slice(0, after.length - before).map(({ title, narrative }) => `${title} | ${narrative}`);
  hold("of four commands the one that did something is remembered", made.length === 1, made.join(" // "));
  hold(
    "without our output",
    made.every((text) => !/uploads/.test(text)),
  );
  const results = asked.requests.at(-1) ?? "";
  const outputs = [...results.matchAll(/"tool_result"[^}]*?"content":"((?:[^"\\]|\\.)*)"/g)].map(
    ([, text]) => text,
  );
  hold(
    "the searches found records",
    outputs.some((text) => text.includes("upload")),
    `${outputs.length} outputs`,
  );
  hold("and not the question that was just asked", !outputs.some((text) => text.includes(asking)));
  const own = json("search", asking, "--type", "prompts");
  hold("a search for the same question does not find it", !JSON.stringify(own.items).includes(asking));

  console.log("\n23: a summary of each turn");
  const one = await turn("Create t1", [write("t1.txt", "one\n"), { text: "Created t1." }]);
  await settled();
  await turn("Create t2", [write("t2.txt", "two\n"), { text: "Created t2." }], { resume: one.session });
  await settled();
  const beforeFine = (await records()).summaries.length;
  await turn("Is all fine?", [{ text: "Yes." }], { resume: one.session });
  await settled();
  const { summaries } = await records();
  const texts = summaries.map(({ request, completed }) => `${request}: ${completed}`);
  const ofT2 = texts.find((text) => text.startsWith("Create t2")) ?? "none";
  hold("the second turn's summary tells of the second turn", /t2/.test(ofT2) && !/t1/.test(ofT2), ofT2);
  const fine = texts.slice(0, summaries.length - beforeFine).join(" // ");
  hold("a turn without content has no summary that repeats the session", !/t1|t2/.test(fine), fine || "none");

  console.log("\n24: the title of a sub-agent's answer");
  await turn("Let an agent look at the quota", [
    {
      call: "Agent",
      input: {
        description: "Look at the quota",
        prompt: "Read quota.ts",
        subagent_type: "general-purpose",
        run_in_background: false,
      },
    },
    { call: "Read", input: { file_path: join(project, "quota.ts") } },
    { text: "The quota is five uploads." },
    { text: "It is five." },
  ]);
  await settled();
  const agents = (await records()).observations.filter(({ title }) => /agent/i.test(title));
  hold("there is one", agents.length > 0);
  hold(
    "it says what the agent answered",
    agents.some(({ title }) => title.includes("The quota is five uploads")) &&
      agents.every(({ title }) => !title.includes("tools-used-before-summary")),
    agents.map(({ title }) => title).join(" // "),
  );
  hold("nothing was asked of another machine", seen.outside.length === 0, seen.outside.join(", "));
  console.log(`\n${faults.length} broken, ${seen.requests.length} requests`);
} finally {
  execFileSync(process.execPath, [mem, "worker", "stop"], { env: environment, stdio: "ignore" });
  model.close();
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
}
process.exitCode = faults.length === 0 ? 0 : 1;
