// Runs a hook exactly as a host agent does: the registered command in a shell, the event on its stdin.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { failOpenSync, MemError } from "../core/errors.ts";
import { hookCommand } from "../hosts/install-recipe.ts";
import { isJsonObject, type JsonObject } from "../text/json.ts";
import { hookLauncher } from "./host-settings.ts";

interface HookRun {
  /** The host's name of the event: `PostToolUse`. */
  event: string;
  payload: JsonObject;
  environment: NodeJS.ProcessEnv;
  signal: AbortSignal;
}

/** Runs Claude Code's hook for an event; what it printed. Throws when it did not exit 0, which no hook may. */
export async function runHook({ event, payload, environment, signal }: HookRun): Promise<string> {
  const command = hookCommand({ host: "claude-code", event, launcher: hookLauncher(), dataDir: null });
  const hook = spawn(command, { shell: true, env: environment, signal, stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(hook, "close");
  // A hook that ends without reading its input is not our failure.
  hook.stdin.on("error", () => undefined);
  hook.stdin.end(JSON.stringify(payload));
  const [printed, [code]] = await Promise.all([text(hook.stdout), ended]);
  if (code !== 0) throw new MemError("internal", { message: `The ${event} hook ended with code ${code}.` });
  return printed;
}

/** The context in a hook's answer, empty when it gives none. */
export function injectedText(printed: string): string {
  const answer = failOpenSync("read a hook's answer", (): unknown => JSON.parse(printed));
  const output = isJsonObject(answer) ? answer.hookSpecificOutput : undefined;
  const context = isJsonObject(output) ? output.additionalContext : undefined;
  return typeof context === "string" ? context : "";
}
