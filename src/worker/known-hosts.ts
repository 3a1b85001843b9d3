// The host agents of this machine: how their hooks are registered, and when they were last active.
import { homedir } from "node:os";
import type { Clock } from "../core/clock.ts";
import type { DataPaths } from "../core/paths.ts";
import { createRegistrations } from "../hosts/registrations.ts";
import { hostNames } from "../hosts/registry.ts";
import type { Health } from "../http/schemas/status.ts";
import type { Environment } from "../settings/environment.ts";
import type { Store } from "../store/sqlite/store.ts";
import type { HostActivity } from "./host-events.ts";
import { installsOf } from "./mcp-switch.ts";

interface KnownHostDeps {
  store: Pick<Store, "sessions">;
  paths: DataPaths;
  environment: Environment;
  clock: Clock;
  /** Since the worker started. */
  activity(): HostActivity[];
}

type KnownHost = NonNullable<Health["hosts"]>[number];

// Imports name their source, such as git: no host agent.
function agentsOf({ sessions }: KnownHostDeps["store"]) {
  return sessions.lastOfHosts().filter(({ host }) => hostNames.includes(host));
}

export function createKnownHosts({ store, paths, environment, clock, activity }: KnownHostDeps) {
  const machine = { paths, environment, home: homedir(), platform: process.platform };
  const registrations = createRegistrations({ machine, installs: installsOf(paths), clock });
  // Of sessions before this start; what comes later is in the activity.
  let before: ReadonlyMap<string, number> | undefined;

  /** Found on this machine, with hooks of mem, or active before; the last active one first. */
  return (): KnownHost[] => {
    before ??= new Map(agentsOf(store).map(({ host, at }) => [host, at]));
    const registered = registrations();
    const active = activity();
    const names = new Set([
      ...registered.map(({ host }) => host),
      ...active.map(({ host }) => host),
      ...before.keys(),
    ]);
    const hosts = [...names].map((host): KnownHost => {
      const { title = host, hooks = "none" } = registered.find((one) => one.host === host) ?? {};
      const now = active.find((one) => one.host === host);
      const last_event_at_epoch = now?.last_event_at_epoch ?? before?.get(host) ?? null;
      const last_injection_at_epoch = now?.last_injection_at_epoch ?? null;
      return { host, title, hooks, last_event_at_epoch, last_injection_at_epoch };
    });
    return hosts.sort((one, other) => (other.last_event_at_epoch ?? 0) - (one.last_event_at_epoch ?? 0));
  };
}
