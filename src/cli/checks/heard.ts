// When hosts were last active: by their sessions, and by their events since the worker started.
import { statSync } from "node:fs";
import type { Health } from "../../client/worker-client.ts";
import { unlessMissing } from "../../core/error-code.ts";
import { failOpen } from "../../core/errors.ts";
import type { CliContext } from "../context.ts";

/** When a host was last active. */
export interface Heard {
  /** By its last session. */
  sessionAt: number | undefined;
  /** As the worker knows it. */
  activity: HostActivity | undefined;
}

type HostActivity = NonNullable<Health["hosts"]>[number];

/** The last activity of each host; null without a worker, which would know it. */
export async function lastHeard(
  context: CliContext,
  health: Health | null,
): Promise<ReadonlyMap<string, Heard> | null> {
  if (health === null) return null;
  const sessions = await lastSessions(context);
  const { hosts = [] } = health;
  const names = new Set([...sessions.keys(), ...hosts.map(({ host }) => host)]);
  const heardOfName = (name: string): Heard => ({
    sessionAt: sessions.get(name),
    activity: hosts.find(({ host }) => host === name),
  });
  return new Map([...names].map((name) => [name, heardOfName(name)]));
}

async function lastSessions({ worker }: CliContext): Promise<Map<string, number>> {
  const page = await failOpen("ask for sessions", () => worker().sessions({ limit: 100 }));
  const times = (page?.items ?? []).map((one): [string, number] => [one.host, one.last_active_at_epoch]);
  return new Map(times.sort(([, left], [, right]) => left - right));
}

/** Time of the last event; 0 without a known one. */
export function eventAt(heard: Heard | null | undefined): number {
  return Math.max(heard?.activity?.last_event_at_epoch ?? 0, heard?.sessionAt ?? 0);
}

/** Time of the last change of a file; 0 for a missing one. */
export function writtenAt(path: string): number {
  return unlessMissing(() => statSync(path))?.mtimeMs ?? 0;
}
