// Deletion over HTTP: one record, or all memory of a project.
import { type Caller, isId } from "../../core/records/tenancy.ts";
import type { App } from "../plugins/zod.ts";
import { keyedWriteErrors, openOf } from "../schemas/error.ts";
import { deletedAnswer, deletedParams, purgedAnswer, purgedParams } from "../schemas/v1-team.ts";
import { callerOf } from "./authentication.ts";
import { noSuchMemory } from "./memories.ts";
import { demandProject, noSuchProject, type ProjectScopePorts } from "./project-scope.ts";

interface Counts {
  observations: number;
  observationSources: number;
  agentEvents: number;
  sessions: number;
  jobs: number;
  idempotencyKeys: number;
}

export interface DeletionPorts extends ProjectScopePorts {
  /** False when the caller has no record of that id. */
  deleteMemory(caller: Caller, id: string, requestId: string): Promise<boolean>;
  /** Undefined when the caller has no such project. */
  purge(caller: Caller, projectId: string, requestId: string): Promise<Counts | undefined>;
}

/** `DELETE /v1/memories/:id` and `DELETE /v1/projects/:projectId/memory`, each with its audit row in one transaction. */
export function deletionRoutes(app: App, ports: DeletionPorts): void {
  app.delete(
    "/v1/memories/:id",
    {
      config: { access: "memories:write", openOverQuota: true },
      schema: {
        summary: "Delete one record, with its links to its sources.",
        params: deletedParams,
        response: { 200: deletedAnswer, ...openOf(keyedWriteErrors) },
      },
    },
    async (request) => {
      const { id } = request.params;
      const deleted = isId(id) && (await ports.deleteMemory(callerOf(request), id, request.id));
      if (!deleted) throw noSuchMemory();
      return { deleted: true as const, id };
    },
  );
  app.delete(
    "/v1/projects/:projectId/memory",
    {
      config: { access: "memories:write", openOverQuota: true },
      schema: {
        summary:
          "Delete everything captured in a project, named by its id or name; the project itself stays.",
        params: purgedParams,
        response: { 200: purgedAnswer, ...openOf(keyedWriteErrors) },
      },
    },
    async (request) => {
      const caller = callerOf(request);
      const { project_id } = await demandProject(caller, request.params.projectId, ports);
      const counts = await ports.purge(caller, project_id, request.id);
      if (counts === undefined) throw noSuchProject();
      return { purged: true as const, projectId: project_id, counts };
    },
  );
}
