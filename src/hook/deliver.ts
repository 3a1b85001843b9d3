// Takes one event to the worker: over the socket in the data directory, else over what worker.json names.
import { existsSync } from "node:fs";
import { type Connection, DeliveryFailure, type Failure, failureOf, openConnection } from "./connection.ts";
import { deadlineMs } from "./deadlines.ts";
import type { HookCall } from "./hook-call.ts";
import { hungJustNow } from "./hung-mark.ts";

/** What the hook prints, or why there is nothing to print. */
export type Delivery = { answer: string } | { failed: Failure };

/** Delivers `payload` as it is. Never throws. */
export async function deliver(call: HookCall, payload: Buffer, dataDir: string): Promise<Delivery> {
  if (hungJustNow(dataDir, call.event)) return { failed: "hung" };
  const socket = process.platform === "win32" ? null : `${dataDir}/worker.sock`;
  const direct = socket === null ? absent : await attempt(() => overSocket(socket, call, payload));
  if ("answer" in direct || direct.failed !== "absent" || !existsSync(`${dataDir}/worker.json`))
    return direct;
  const { openAnnounced } = await import("./announced-worker.ts");
  return attempt(() => post(openAnnounced(dataDir, deadlineMs(call.event)), call, payload));
}

const absent: Delivery = { failed: "absent" };

async function attempt(run: () => Promise<string>): Promise<Delivery> {
  try {
    return { answer: await run() };
  } catch (cause) {
    return { failed: failureOf(cause) };
  }
}

function overSocket(path: string, call: HookCall, payload: Buffer): Promise<string> {
  return post(openConnection({ path }, deadlineMs(call.event)), call, payload);
}

async function post(opening: Promise<Connection>, call: HookCall, payload: Buffer): Promise<string> {
  const connection = await opening;
  const { status, body } = await connection.request(
    `POST /api/hooks/${call.host}/${call.event}`,
    ["Content-Type: application/json", `Content-Length: ${payload.length}`, "Connection: close"],
    payload,
  );
  // Nothing is closed after an answer: the process ends now, and tidying up first would cost it 0.5 ms.
  if (status !== 200) throw new DeliveryFailure(`status-${status}`);
  return body.toString("utf8");
}
