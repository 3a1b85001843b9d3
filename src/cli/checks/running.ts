// Checks of the worker: it runs, its version, port and socket.
import { existsSync, statSync } from "node:fs";
import { workerUrl } from "../../client/worker-address.ts";
import type { Health } from "../../client/worker-client.ts";
import { exposureOf } from "../../core/directory.ts";
import type { DataPaths } from "../../core/paths.ts";
import { pauseNotice, stuckNotice } from "../../core/records/generation-pause.ts";
import type { LoadedSettings } from "../../settings/load.ts";
import { weakTokenNotice } from "../../settings/tv-token.ts";
import { tryBind } from "../bind-trial.ts";
import { processInWords, unreadInWords } from "../commands/status.ts";
import { hostProblem } from "../worker-host.ts";
import { silentWorker, type WorkerState } from "../worker-state.ts";
import { type Check, fail, ok, warn } from "./check.ts";

/** The worker answers, has the version of this command, and reports no problem; `shownElsewhere` are shown by other checks. */
export function checkWorker(
  state: WorkerState,
  ownVersion: string,
  shownElsewhere: readonly string[] = [],
): Check[] {
  const name = "Worker";
  if (state.is !== "answering") return [absentWorker(state)];
  const { health } = state;
  const own =
    health.version === ownVersion
      ? runningWell(name, health)
      : warn(name, `It runs version ${health.version}, this command is ${ownVersion}.`, "mem worker restart");
  // The checks of provider, queue, settings and mode report these.
  const known = [pauseNotice(health.paused), stuckNotice];
  const others = health.notices.filter(
    (notice) => !known.includes(notice) && !shownElsewhere.some((problem) => notice.includes(problem)),
  );
  return [own, ...others.map((notice) => warn("Notice", notice))];
}

// Refused access is reported by the check of the provider.
function runningWell(name: string, health: Health): Check {
  const words = `process ${processInWords(health)}`;
  if (health.status === "ok" || health.paused?.kind === "auth") return ok(name, words);
  const why = health.notices.includes(stuckNotice) ? ": its queue does not move" : "";
  return fail(name, `It is degraded${why}; ${words}.`, "mem worker logs");
}

/** Every event since the last week or repair could be read. */
export function checkEvents({ unreadEvents = [] }: Health, nowEpochMs: number): Check {
  const line = unreadInWords(unreadEvents, nowEpochMs);
  if (line === null) return ok("Events", "all could be read");
  return warn("Events", `${line}.`, "Update mem, then mem repair");
}

/** The configured host is an address of this machine, and its port is used by the worker, or free. */
export async function checkPort(state: WorkerState, settings: LoadedSettings): Promise<Check> {
  const name = "Port";
  const [host, port] = [settings.get("MEM_WORKER_HOST"), settings.get("MEM_WORKER_PORT")];
  const problem = await hostProblem(settings);
  if (problem !== null) return fail(name, problem.message, problem.next);
  if (state.is === "silent") return ok(name, `held by process ${state.pid}, the worker`);
  if (state.is === "answering") {
    const { health } = state;
    const url = workerUrl({ host, port: health.port });
    return port === 0 || health.port === port
      ? ok(name, url)
      : warn(
          name,
          `${port} was in use; the worker listens at ${url}.`,
          "mem settings set MEM_WORKER_PORT <free port> && mem worker restart",
        );
  }
  if (port === 0) return ok(name, "any free port");
  const trial = await tryBind(host, port);
  if (trial.is === "bound") return ok(name, `${port} is free`);
  const why = trial.code === "EADDRINUSE" ? "is used by another program" : `cannot be bound (${trial.code})`;
  return warn(name, `${port} ${why}; the worker will use the next free port.`);
}

/** A token that cannot be guessed, where other machines reach the worker. */
export function checkTvToken(settings: LoadedSettings): Check | null {
  const notice = weakTokenNotice(settings);
  return notice === null ? null : warn("TV token", notice.message, notice.next);
}

/** Hooks reach the worker by its socket. */
export function checkSocket(state: WorkerState, paths: DataPaths): Check {
  const name = "Socket";
  if (process.platform === "win32") return ok(name, paths.socket);
  const there = existsSync(paths.socket);
  if (state.is === "silent") return ok(name, `held by process ${state.pid}, the worker`);
  if (state.is !== "answering")
    return ok(name, there ? "left by a killed worker; the next one replaces it" : "none");
  if (!there)
    return fail(name, `${paths.socket} is gone, so hooks use the slower port.`, "mem worker restart");
  const stats = statSync(paths.socket);
  if (exposureOf(stats) === "foreign")
    return fail(
      name,
      `${paths.socket} belongs to another user (uid ${stats.uid}).`,
      `rm ${paths.socket}, then mem worker restart`,
    );
  return (stats.mode & 0o077) !== 0
    ? fail(name, `Other users can write to ${paths.socket}.`, "mem worker restart")
    : ok(name, "closed to other users");
}

function absentWorker(state: Exclude<WorkerState, { is: "answering" }>): Check {
  const name = "Worker";
  switch (state.is) {
    case "stopped":
      return warn(name, "It is not running.", "mem worker start");
    case "silent":
      return fail(
        name,
        silentWorker(state.pid).message,
        `mem worker restart (or: kill -9 ${state.pid}; mem worker start)`,
      );
    case "doubtful":
      return fail(name, `Process ${state.pid} may be the worker, but does not answer.`, `ps -p ${state.pid}`);
    default:
      return state satisfies never;
  }
}
