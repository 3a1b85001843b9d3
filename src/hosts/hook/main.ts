// The hook in Node, `mem hook <event> --host <name>`: sends a host's event to the worker and prints the reply. Always exits
// 0. Start time is its cost, so code for failed deliveries is in a second bundle.
import { runCompiled } from "../../core/compiled-code.ts";
import { kebabCase } from "../../text/kebab-case.ts";
import { deliver } from "./deliver.ts";
import { type HookCall, hookDataDir, parseHookCall } from "./hook-call.ts";
import { printAnswer, readPayload, standardError, standardOutput } from "./pipes.ts";

// Set by the build: the bundle of fallback.ts.
declare const fallbackName: string;

process.on("uncaughtException", leave);
run().then(leave, leave);

async function run(): Promise<void> {
  const call = parseHookCall(process.argv.slice(2));
  const dataDir = hookDataDir(process.env);
  // The worker itself runs the host to write records: not a session of the user.
  const isOwnCall = (process.env.MEM_GENERATING ?? "") !== "";
  if (call === null || dataDir === null || isOwnCall) return;
  // The launcher starts this shortly before its deadline: prepare before the payload comes.
  if (call.failed === "timeout") loadFallback().rehearse();
  const payload = await readPayload();
  // The launcher leaves an empty one if it needs no second try. From a host, the worker counts it as unreadable.
  if (payload.length === 0 && call.failed !== undefined) return;
  const answer = await answerTo(call, payload, dataDir);
  await printAnswer(answer, isSetup(call) ? standardError : standardOutput);
}

async function answerTo(call: HookCall, payload: Buffer, dataDir: string): Promise<string> {
  const delivery =
    call.failed === undefined ? await deliver(call, payload, dataDir) : { failed: call.failed };
  if ("answer" in delivery) return delivery.answer;
  // Nothing is stored where other users can write.
  if (delivery.failed === "exposed" || isSetup(call) || payload.length === 0) return "";
  return loadFallback().fallBack({ ...call, failed: delivery.failed, payload, dataDir });
}

// The code cache saves 4 of the 43 ms that a hook takes while the worker is down.
function loadFallback(): typeof import("./fallback.ts") {
  return runCompiled(__dirname, fallbackName) as typeof import("./fallback.ts");
}

// Setup asks for notices to the user; without a reply there is nothing to keep.
function isSetup({ event }: HookCall): boolean {
  return kebabCase(event) === "setup";
}

function leave(): never {
  process.exit(0);
}
