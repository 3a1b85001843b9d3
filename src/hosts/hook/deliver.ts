// Delivers one event to the worker: over the socket in the data directory, else over the address in worker.json.
import { existsSync, lstatSync, statSync } from "node:fs";
import { exposureOf } from "../../core/directory.ts";
import { codeOf, unlessMissing } from "../../core/error-code.ts";
import { kebabCase } from "../../text/kebab-case.ts";
import { type Connection, DeliveryFailure, type Failure, failureOf, openConnection } from "./connection.ts";
import { deadlineMs, hungBelievedMs, hungStartMs } from "./deadlines.ts";
import type { HookCall } from "./hook-call.ts";
import { clearHungMark, readHungMark } from "./hung-mark.ts";

/** The output of the hook, or the reason why there is none. */
export type Delivery = { answer: string } | { failed: Failure };

/** Delivers `payload` unchanged. Never throws. */
export async function deliver(call: HookCall, payload: Buffer, dataDir: string): Promise<Delivery> {
  const entered = enter(dataDir);
  if ("failed" in entered) return entered;
  const { place } = entered;
  const hung = readHungMark(place);
  const starts = kebabCase(call.event) === "session-start";
  if (hung !== null && hung.lastMs < hungBelievedMs && !starts) return { failed: "hung" };
  const deadline = hung !== null && starts ? hungStartMs : deadlineMs(call.event, process.env);
  const delivery = await ask({ call, payload, place, deadline });
  if (hung !== null && "answer" in delivery) clearHungMark(place);
  return delivery;
}

/**
 * Enters the data directory and checks from the inside who can write there. Later accesses use relative names, so no other
 * user can swap the directory. Windows has no such modes and uses the path.
 */
export function enter(dataDir: string): { place: string } | { failed: "absent" | "exposed" } {
  if (process.platform === "win32") return { place: dataDir };
  try {
    process.chdir(dataDir);
    return exposureOf(statSync(".")) === null ? { place: "." } : { failed: "exposed" };
  } catch (cause) {
    const isMissing = codeOf(cause) === "ENOENT";
    return { failed: isMissing ? "absent" : "exposed" };
  }
}

interface Question {
  call: HookCall;
  payload: Buffer;
  place: string;
  deadline: number;
}

function ask({ call, payload, place, deadline }: Question): Promise<Delivery> {
  return attempt(() => post(openWorker(place, deadline), call, payload));
}

/** Connects to the worker of the data directory. Throws `DeliveryFailure`. */
export async function openWorker(place: string, deadlineMs: number): Promise<Connection> {
  const path = `${place}/worker.sock`;
  try {
    demandOwnSocket(path);
    return await openConnection({ path }, deadlineMs);
  } catch (failure) {
    if (failureOf(failure) !== "absent" || !existsSync(`${place}/worker.json`)) throw failure;
  }
  const { openAnnounced } = await import("./announced-worker.ts");
  return openAnnounced(place, deadlineMs);
}

// A socket that other users made, or can write to, is not the worker's.
function demandOwnSocket(path: string): void {
  const stats = process.platform === "win32" ? undefined : unlessMissing(() => lstatSync(path));
  if (stats === undefined || !stats.isSocket()) throw new DeliveryFailure("absent");
  if (exposureOf(stats) !== null) throw new DeliveryFailure("stranger");
}

async function attempt(run: () => Promise<string>): Promise<Delivery> {
  try {
    return { answer: await run() };
  } catch (cause) {
    return { failed: failureOf(cause) };
  }
}

async function post(opening: Promise<Connection>, call: HookCall, payload: Buffer): Promise<string> {
  const connection = await opening;
  const { status, body } = await connection.request(
    `POST /api/hooks/${call.host}/${call.event}`,
    ["Content-Type: application/json", `Content-Length: ${payload.length}`, "Connection: close"],
    payload,
  );
  // The connection stays open: the process exits now, and closing would cost 0.5 ms.
  if (status !== 200) throw new DeliveryFailure(`status-${status}`);
  return body.toString("utf8");
}
