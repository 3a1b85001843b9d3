// The team's projects over HTTP: list, read, create.
import { MemError } from "../../core/errors.ts";
import type { Caller, HostedProject } from "../../core/records/tenancy.ts";
import type { JsonObject } from "../../text/json.ts";
import { route } from "../plugins/route.ts";
import type { App } from "../plugins/zod.ts";
import { keyedErrors, keyedLookupErrors, keyedWriteErrors } from "../schemas/error.ts";
import {
  newProject,
  project,
  projectAnswer,
  projectParams,
  projectsAnswer,
  projectsQuery,
} from "../schemas/v1-team.ts";
import { callerOf } from "./authentication.ts";
import { onWire } from "./on-wire.ts";
import { demandProject, noSuchProject, type ProjectScopePorts } from "./project-scope.ts";

export interface ProjectPorts extends ProjectScopePorts {
  find(caller: Caller, id: string): Promise<HostedProject | undefined>;
  list(caller: Caller, page: { after: string; limit: number }): Promise<HostedProject[]>;
  /** Throws `conflict` when the team has one of that name. */
  create(
    caller: Caller,
    project: { name: string; metadata: JsonObject },
    requestId: string,
  ): Promise<HostedProject>;
}

/** `GET` and `POST /v1/projects`, `GET /v1/projects/:projectId`. */
export function projectRoutes(app: App, ports: ProjectPorts): void {
  route(app, "GET /v1/projects", {
    config: { access: "memories:read" },
    summary: "The projects that the key reaches, by name.",
    querystring: projectsQuery,
    response: { 200: projectsAnswer, ...keyedErrors },
    handler: async (request) => {
      const { after, limit } = request.query;
      const found = await ports.list(callerOf(request), { after, limit: limit + 1 });
      const shown = found.slice(0, limit);
      return {
        projects: shown.map((one) => onWire(project, one)),
        nextAfter: found.length > limit ? (shown.at(-1)?.name ?? null) : null,
      };
    },
  });
  route(app, "GET /v1/projects/:projectId", {
    config: { access: "memories:read" },
    summary: "One project, by its id or its name.",
    params: projectParams,
    response: { 200: projectAnswer, ...keyedLookupErrors },
    handler: async (request) => {
      const caller = callerOf(request);
      const { project_id } = await demandProject(caller, request.params.projectId, ports);
      const found = await ports.find(caller, project_id);
      if (found === undefined) throw noSuchProject();
      return { project: onWire(project, found) };
    },
  });
  route(app, "POST /v1/projects", {
    config: { access: "memories:write" },
    summary: "Create a project; needs a key of the whole team.",
    body: newProject,
    response: { 201: projectAnswer, ...keyedWriteErrors },
    handler: async (request, reply) => {
      const caller = callerOf(request);
      if (caller.project_id !== null) {
        throw new MemError("insufficient_scope", {
          message: "A key of one project cannot create another.",
          hint: "Use a key of the whole team.",
        });
      }
      const made = await ports.create(caller, request.body, request.id);
      return reply.code(201).send({ project: onWire(project, made) });
    },
  });
}
