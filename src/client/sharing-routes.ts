// Calls about what leaves this device: sync between devices, and records for a team's server.
import type { SyncAnswer, SyncDevicesAnswer } from "../http/schemas/device-sync.ts";
import type { TeamHit, TeamStatus } from "../http/schemas/team.ts";
import type { Calls } from "./calls.ts";

export type { TeamHit, TeamStatus };

export function sharingRoutes({ get, post }: Pick<Calls, "get" | "post">) {
  return {
    /** Asks the hub too. */
    syncStatus: () => get<SyncAnswer>("/api/sync/status"),
    syncDevices: () => get<SyncDevicesAnswer>("/api/sync/devices"),
    /** `now` pulls and pushes, and answers when that is done, or after 5 s. */
    sync: (action: "now" | "earlier" | "pause" | "resume") => post<SyncAnswer>(`/api/sync/${action}`, {}),
    /** Without a project: the choice for every project that has none. */
    chooseSync: (project: string | undefined, synced: boolean) =>
      post<SyncAnswer>("/api/sync/projects", { project, synced }),
    teamStatus: () => get<TeamStatus>("/api/team"),
    /** Accepted records of a project go to the team from now on; `earlier` takes older ones too. */
    connectTeam: (project: { project: string; team_project: string; team_id: string; earlier: boolean }) =>
      post<TeamStatus>("/api/team/projects", project),
    disconnectTeam: (project: string) => post<TeamStatus>("/api/team/disconnect", { project }),
    /** Answers when what waits was sent, or after 4 s. */
    sendToTeam: () => post<TeamStatus>("/api/team/send", {}),
    searchTeam: (asked: { query: string; project?: string | undefined; limit: number }) =>
      post<{ items: TeamHit[] }>("/api/team/search", asked),
    /** A record of the team's server; throws `not_found`. */
    teamMemory: async (id: string) =>
      (await get<{ memory: TeamHit }>(`/api/team/memories/${encodeURIComponent(id)}`)).memory,
  };
}
