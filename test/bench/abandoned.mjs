// A thousand sessions, half of them never ended, while the host's command that writes memory hangs: what is left of
// processes and memory once it answers again, and after the worker's end.
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { boundFigure } from "./measure.mjs";
import { benchHome, memoryOf, startWorker } from "./worker.mjs";

const sessions = 1_000;
const hungMs = 20_000;
const idleMs = 20_000;

export async function run({ say }) {
  if (process.platform !== "linux") throw new Error("processes and memory are read from /proc: Linux only");
  const home = benchHome();
  const cli = hostCli(home.dataDir);
  const env = {
    MEM_PROVIDER: "primary",
    MEM_PRIMARY_AUTH_METHOD: "subscription",
    HOST_CLI_PATH: cli.path,
  };
  const worker = await startWorker(home, { env });
  try {
    await sleep(2_000);
    const before = memoryOf(worker.pid).rss;
    for (let n = 0; n < sessions; n++) await open(worker.port, n, n % 2 === 0);
    await sleep(hungMs);
    const hung = runningClis(cli.path);
    say(`${sessions} sessions opened, ${hung} calls hang; RSS ${memoryOf(worker.pid).rss.toFixed(1)} MiB`);
    cli.answer();
    await drained(worker.port, say);
    await sleep(idleMs);
    const after = memoryOf(worker.pid).rss;
    const status = await worker.stop();
    if (status !== 0) throw new Error(`the worker ended with ${status}`);
    return [
      boundFigure({
        name: "RSS over its start, after a hung provider and 1,000 sessions",
        unit: "MiB",
        value: after - before,
        n: sessions,
        target: "<= 20",
        note: `${before.toFixed(1)} MiB at the start, ${after.toFixed(1)} after; ${hung} calls hung at once`,
      }),
      boundFigure({
        name: "processes left after the worker's end",
        unit: "processes",
        value: runningClis(cli.path),
        n: sessions,
        target: "= 0",
      }),
    ];
  } finally {
    await worker.kill();
    home.remove();
  }
}

/** A host CLI that hangs together with its child until the flag file exists; then it answers with nothing to record. */
function hostCli(folder) {
  const path = join(folder, "host-cli.sh");
  const flag = join(folder, "answers");
  const result = JSON.stringify({ observations: [], summaries: [], nothing: true });
  const answer = JSON.stringify({
    type: "result",
    subtype: "success",
    is_error: false,
    result,
    usage: { input_tokens: 100, output_tokens: 10 },
  });
  writeFileSync(
    path,
    `#!/bin/sh\ncat >/dev/null\n[ -e '${flag}' ] || { sleep 600 & wait; }\nprintf '%s\\n' '${answer}'\n`,
  );
  chmodSync(path, 0o755);
  return { path, answer: () => writeFileSync(flag, "") };
}

function runningClis(path) {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name) && commandLine(name).includes(path)).length;
}

function commandLine(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

async function open(port, n, completes) {
  const claudeSessionId = `abandoned-${n}`;
  const tool_response = { stdout: "x".repeat(2_000) };
  await post(port, "/api/sessions/observations", {
    claudeSessionId,
    tool_name: "Bash",
    tool_input: { command: `make target-${n}` },
    tool_response,
  });
  if (completes) await post(port, "/api/sessions/complete", { claudeSessionId });
}

async function drained(port, say) {
  for (;;) {
    const { queueDepth, dead } = await get(port, "/api/processing-status");
    if (queueDepth === 0) {
      say(`everything was worked off, ${dead} given up`);
      return;
    }
    await sleep(500);
  }
}

const post = (port, path, body) => ask(port, "POST", path, JSON.stringify(body));
const get = (port, path) => ask(port, "GET", path);

function ask(port, method, path, body) {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { "content-type": "application/json" };
    const sent = request({ host: "127.0.0.1", port, method, path, headers }, (response) => {
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () =>
        response.statusCode === 200 ? resolve(JSON.parse(text)) : reject(new Error(`${path}: ${text}`)),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
