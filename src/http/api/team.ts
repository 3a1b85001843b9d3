// Routes of sharing with a team's server: its state, which projects, a send right now, a search there.
import { route } from "../plugins/route.ts";
import type { App } from "../plugins/zod.ts";
import { changeErrors, errorBody, lookupErrors, readErrors } from "../schemas/error.ts";
import {
  type TeamHit,
  type TeamStatus,
  teamDisconnectBody,
  teamMemory,
  teamMemoryParams,
  teamProjectBody,
  teamSearchAnswer,
  teamSearchBody,
  teamSendBody,
  teamStatus,
} from "../schemas/team.ts";

export interface TeamPorts {
  status(): TeamStatus;
  /** Accepted records of the project go to the team from now on. Throws `not_set_up` without address and key. */
  connect(project: {
    project: string;
    team_project: string;
    team_id: string;
    earlier: boolean;
  }): Promise<void>;
  /** Throws `not_found` for a project that is not connected. */
  disconnect(project: string): Promise<void>;
  /** Sends what waits; resolves when that is done, or at its deadline. */
  send(): Promise<void>;
  /** Throws `not_set_up`, `not_found` for a project that is not connected, `team_server_failed` without an answer. */
  memory(id: string): Promise<TeamHit>;
  search(asked: { query: string; project?: string | undefined; limit: number }): Promise<TeamHit[]>;
}

/** `GET /api/team` and the routes that `mem server connect` and `mem search --team` call. */
export function teamRoutes(app: App, team: TeamPorts): void {
  const errors = { ...changeErrors, 409: errorBody };
  route(app, "GET /api/team", {
    summary: "What goes to the team's server, what waits, and the last failure.",
    response: { 200: teamStatus, ...readErrors },
    handler: async () => team.status(),
  });
  route(app, "POST /api/team/projects", {
    summary: "Sends accepted records of a project to a project of the team from now on.",
    body: teamProjectBody,
    response: { 200: teamStatus, ...errors },
    handler: async ({ body }) => {
      await team.connect(body);
      return team.status();
    },
  });
  route(app, "POST /api/team/disconnect", {
    summary: "Stops sending records of a project; what the team has stays there.",
    body: teamDisconnectBody,
    response: { 200: teamStatus, ...errors },
    handler: async ({ body }) => {
      await team.disconnect(body.project);
      return team.status();
    },
  });
  route(app, "POST /api/team/send", {
    summary: "Sends what waits for at most 4 s, refused records included.",
    body: teamSendBody,
    response: { 200: teamStatus, ...errors },
    handler: async () => {
      await team.send();
      return team.status();
    },
  });
  route(app, "POST /api/team/search", {
    summary: "Searches the connected projects of the team's server, best first.",
    body: teamSearchBody,
    response: { 200: teamSearchAnswer, ...errors, 502: errorBody },
    handler: async ({ body }) => ({ items: await team.search(body) }),
  });
  route(app, "GET /api/team/memories/:id", {
    summary: "A record of the team's server by its id, whole.",
    params: teamMemoryParams,
    response: { 200: teamMemory, ...lookupErrors, 409: errorBody, 502: errorBody },
    handler: async ({ params }) => ({ memory: await team.memory(params.id) }),
  });
}
