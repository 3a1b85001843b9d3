// Asks Codex CLI's app server which hooks its user trusts: Codex skips an untrusted hook without a word.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { codeOf } from "../core/error-code.ts";
import { failOpenSync } from "../core/errors.ts";
import { isJsonObject, type JsonObject } from "../text/json.ts";
import { objectField, objectsField, parseObject, textField } from "../text/json-fields.ts";
import { isHookCommand } from "./hook-command.ts";
import type { HookTrust } from "./integration.ts";

export interface CodexHook {
  /** Codex's name of the hook: its file, event and position. */
  key: string;
  event: string;
  command: string;
  /** `modified`: its definition changed since the user trusted it. */
  trust: "trusted" | "managed" | "untrusted" | "modified" | "unknown";
  enabled: boolean;
}

interface TrustRequest {
  /** The `codex` program. */
  program: string;
  /** By default the one of this process. */
  env?: NodeJS.ProcessEnv;
  /** The folder whose hooks are listed. */
  cwd: string;
  deadlineMs?: number;
}

/** Whether Codex runs the hooks of mem. */
export async function codexTrust({ host, ...request }: TrustRequest & { host: string }): Promise<HookTrust> {
  const answer = await codexHooks(request);
  if ("failed" in answer) return unknown(answer.failed);
  const ours = answer.hooks.filter(({ command }) => isHookCommand(host, command));
  if (ours.length === 0) return { state: "unknown", message: "Codex lists no hook of mem." };
  const runs = ours.filter(({ trust, enabled }) => enabled && (trust === "trusted" || trust === "managed"));
  if (runs.length === ours.length)
    return { state: "trusted", message: `Codex runs all ${ours.length} hooks.` };
  return {
    state: "untrusted",
    message: `Codex skips ${ours.length - runs.length} of ${ours.length} hooks: they are untrusted or turned off.`,
    next: openHooks,
  };
}

function unknown(why: string): HookTrust {
  return {
    state: "unknown",
    message: `Codex did not say whether it trusts the hooks: ${why}.`,
    next: openHooks,
  };
}

const openHooks = "Open `/hooks` in Codex and trust the hooks of mem";

/**
 * The hooks that Codex would run in `cwd`. `failed` says why they are unknown: no program, no answer in time, or a version
 * without the request. Changes nothing; the process is gone when it resolves.
 */
export async function codexHooks(
  request: TrustRequest,
): Promise<{ hooks: CodexHook[] } | { failed: string }> {
  const { program, env, cwd, deadlineMs = 10_000 } = request;
  const isPosix = process.platform !== "win32";
  // In its own group, so that one signal reaches the program behind the launcher of the package.
  const child = spawn(program, ["app-server"], {
    cwd,
    ...(env && { env }),
    detached: isPosix,
    windowsHide: true,
    // Windows starts a `.cmd` only through its shell.
    shell: !isPosix,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const gone = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    return await Promise.race([
      askForHooks(child, cwd),
      new Promise<{ failed: string }>((resolve) => {
        timer = setTimeout(() => resolve({ failed: `no answer within ${deadlineMs / 1_000} s` }), deadlineMs);
      }),
    ]);
  } finally {
    clearTimeout(timer);
    await end(child, gone, isPosix);
  }
}

type Child = ChildProcessByStdio<Writable, Readable, null>;

function askForHooks(child: Child, cwd: string): Promise<{ hooks: CodexHook[] } | { failed: string }> {
  return new Promise((resolve) => {
    const send = (message: JsonObject) => child.stdin.write(`${JSON.stringify(message)}\n`);
    const clientInfo = { name: "mem", title: "mem", version: "1" };
    child.once("error", (cause) => resolve({ failed: reasonOf(cause) }));
    child.once("exit", () => resolve({ failed: "the app server ended without an answer" }));
    child.stdin.on("error", () => undefined);
    createInterface({ input: child.stdout }).on("line", (line) => {
      const message = parseObject(line);
      if (message === null) return;
      // Notifications have no id.
      if (message.id === ids.initialize) {
        send({ method: "initialized" });
        send({ id: ids.hooks, method: "hooks/list", params: { cwds: [cwd] } });
      } else if (message.id === ids.hooks) {
        const reason = textField(objectField(message, "error"), "message");
        const lists = objectsField(objectField(message, "result"), "data");
        resolve(isJsonObject(message.result) ? { hooks: lists.flatMap(hooksIn) } : { failed: reason });
      }
    });
    send({ id: ids.initialize, method: "initialize", params: { clientInfo } });
  });
}

function reasonOf(cause: Error): string {
  const isMissing = codeOf(cause) === "ENOENT";
  return isMissing ? "the command `codex` was not found" : cause.message;
}

const ids = { initialize: 1, hooks: 2 };

function hooksIn(list: JsonObject): CodexHook[] {
  return objectsField(list, "hooks").map((hook) => ({
    key: textField(hook, "key"),
    event: textField(hook, "eventName"),
    command: textField(hook, "command"),
    trust: trustOf(textField(hook, "trustStatus")),
    enabled: hook.enabled !== false,
  }));
}

function trustOf(status: string): CodexHook["trust"] {
  switch (status) {
    case "trusted":
    case "managed":
    case "untrusted":
    case "modified":
      return status;
    default:
      return "unknown";
  }
}

// It ends with its input. The signal is for one that hangs.
async function end(child: Child, gone: Promise<void>, isPosix: boolean): Promise<void> {
  const { pid } = child;
  child.stdin.end();
  await Promise.race([gone, sleep(endsWithinMs, undefined, { ref: false })]);
  if (pid !== undefined && child.exitCode === null) {
    failOpenSync("end the app server", () => (isPosix ? process.kill(-pid, "SIGKILL") : child.kill()));
  }
  await gone;
  child.stdout.destroy();
}

const endsWithinMs = 1_000;
