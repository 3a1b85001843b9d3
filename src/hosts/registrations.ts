// Which host agents are on this machine and how their hooks are registered, read again only when their files change.
import { statSync } from "node:fs";
import type { Clock } from "../core/clock.ts";
import { unlessMissing } from "../core/error-code.ts";
import { failOpenSync } from "../core/errors.ts";
import { type HooksState, hooksStates } from "../core/records/hooks-state.ts";
import { type HostAt, type Machine, traceOf } from "./host-places.ts";
import type { Installs } from "./install-records.ts";
import { createInstaller, type Installer } from "./installer.ts";
import { hostAgents } from "./registry.ts";

export interface HostRegistration {
  host: string;
  /** For people. */
  title: string;
  hooks: HooksState;
}

interface RegistrationDeps {
  machine: Machine;
  installs: Installs;
  clock: Clock;
}

// A status page asks every few seconds.
const lookEveryMs = 2_000;
// A program that appears on the PATH changes no file that is looked at.
const readEveryMs = 60_000;

/** The hosts that are found on this machine or have hooks of mem. A call costs a look at a few files, at most. */
export function createRegistrations({
  machine,
  installs,
  clock,
}: RegistrationDeps): () => HostRegistration[] {
  const installer = createInstaller(machine, installs);
  let found: HostRegistration[] = [];
  let seen: string | undefined;
  let [lookedAt, readAt] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  return () => {
    const now = clock.monotonicMs();
    if (now - lookedAt < lookEveryMs) return found;
    lookedAt = now;
    const files = fingerprint(machine, installer);
    if (files === seen && now - readAt < readEveryMs) return found;
    [seen, readAt] = [files, now];
    found = registrationsOn(machine, installer);
    return found;
  };
}

function registrationsOn(machine: Machine, installer: Installer): HostRegistration[] {
  return hostAgents.flatMap((agent) => {
    const { name } = agent.host;
    const places = placesOf(installer, name);
    const states = places.map((host) => hooksIn(installer, host));
    const hooks = hooksStates.find((state) => states.includes(state)) ?? "none";
    const isHere = hooks !== "none" || places.some(({ place }) => traceOf(machine, agent, place) !== null);
    return isHere ? [{ host: name, title: agent.integration.title, hooks }] : [];
  });
}

// Without a home there are none.
function placesOf(installer: Installer, name: string): HostAt[] {
  return failOpenSync("look for a host's folders", () => installer.placesOf(name)) ?? [];
}

function hooksIn(installer: Installer, host: HostAt): HooksState {
  const state = failOpenSync("read a host's hooks", () => installer.state(host));
  if (state === undefined) return "unreadable";
  const { hooks, plugin, hooksOff, revoked } = state;
  const present = hooks.exact + hooks.other;
  if (plugin === null && present === 0) return "none";
  if (hooksOff !== null || (plugin === null && revoked !== null)) return "off";
  if (plugin !== null) return "plugin";
  if (present < hooks.wanted) return "partial";
  return hooks.other > 0 ? "outdated" : "registered";
}

function fingerprint(machine: Machine, installer: Installer): string {
  const files = hostAgents.flatMap(({ host, integration }) =>
    placesOf(installer, host.name).flatMap(({ place }) => [
      place.folder,
      ...integration.files(place).map(({ path }) => path),
    ]),
  );
  return [machine.paths.installs, ...files].map(stamp).join("\n");
}

function stamp(path: string): string {
  const stats = failOpenSync("look at a host's file", () => unlessMissing(() => statSync(path)));
  return stats === undefined ? "" : `${stats.ino}:${stats.mtimeMs}:${stats.size}`;
}
