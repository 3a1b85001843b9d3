// The hook in Node, `mem hook <event> --host <name>`: pipes a host's event to the worker and prints the answer. Exits 0
// whatever happens. Its start is its cost, so what only a failed delivery needs stands in a second file.
import { kebabCase } from "../../text/kebab-case.ts";
import { hookDataDir } from "./data-dir.ts";
import { deliver } from "./deliver.ts";
import { type HookCall, parseHookCall } from "./hook-call.ts";
import { printAnswer, readPayload, standardError, standardOutput } from "./pipes.ts";

process.on("uncaughtException", leave);
run().then(leave, leave);

async function run(): Promise<void> {
  const call = parseHookCall(process.argv.slice(2));
  const dataDir = await hookDataDir(process.env);
  // The host's command, asked by the worker to write memory, is no session of the user's.
  const isOwnCall = (process.env.MEM_GENERATING ?? "") !== "";
  if (call === null || dataDir === null || isOwnCall) return;
  // The launcher starts this before its deadline is over: what will be needed is made ready before the payload comes.
  if (call.failed === "timeout") (await loadFallback()).rehearse();
  const payload = await readPayload();
  if (payload.length === 0) return;
  const answer = await answerTo(call, payload, dataDir);
  await printAnswer(answer, isSetup(call) ? standardError : standardOutput);
}

async function answerTo(call: HookCall, payload: Buffer, dataDir: string): Promise<string> {
  const delivery =
    call.failed === undefined ? await deliver(call, payload, dataDir) : { failed: call.failed };
  if ("answer" in delivery) return delivery.answer;
  // Where other users can write, nothing is left either.
  if (delivery.failed === "exposed" || isSetup(call)) return "";
  const { fallBack } = await loadFallback();
  return fallBack({ ...call, failed: delivery.failed, payload, dataDir });
}

const loadFallback = () => import("./fallback.ts");

// Setup asks whether all is well: the answer is a word to the user, and a question that nobody answers is not kept.
function isSetup({ event }: HookCall): boolean {
  return kebabCase(event) === "setup";
}

function leave(): never {
  process.exit(0);
}
