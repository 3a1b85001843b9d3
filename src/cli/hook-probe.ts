// Runs registered hooks once with a check that stores nothing.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { newId } from "../core/ids.ts";
import { hookCheckPayload, isHookCheckReply } from "../hosts/hook-check.ts";
import type { HostAt } from "../hosts/host-places.ts";
import { childEnvironment, type Environment } from "../settings/environment.ts";

export interface HookProbe {
  event: string;
  /** Why the worker's reply did not come back; null if it did. */
  problem: string | null;
}

/** Runs every command hook of the host as the host does; one result per hook. */
export async function probeHooks({ agent, place }: HostAt, environment: Environment): Promise<HookProbe[]> {
  const probes: HookProbe[] = [];
  for (const event of new Set(agent.integration.hooks.map((hook) => hook.event))) {
    probes.push({ event, problem: await probeHook(place.hookCommand(event), environment) });
  }
  return probes;
}

// A hook returns within 3 s whatever happens.
const timeoutMs = 10_000;

async function probeHook(command: string, environment: Environment): Promise<string | null> {
  const nonce = newId();
  const hook = spawn(command, {
    shell: true,
    // Inside a run of mem's own model command every hook is silent.
    env: childEnvironment(environment, { MEM_GENERATING: undefined }),
    timeout: timeoutMs,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const closed = once(hook, "close");
  hook.stdin.on("error", () => undefined);
  hook.stdin.end(JSON.stringify(hookCheckPayload(nonce)));
  const [stdout, stderr] = await Promise.all([text(hook.stdout), text(hook.stderr)]);
  const [code] = await closed;
  if (code !== 0) return `it exited with ${code ?? "a signal"}`;
  return isHookCheckReply(stdout + stderr, nonce) ? null : "the worker's reply did not come back";
}
