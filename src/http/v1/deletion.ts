// Deletion over HTTP: one record, or all memory of a project.
import { type Caller, isId } from "../../core/records/tenancy.ts";
import { route } from "../plugins/route.ts";
import type { App } from "../plugins/zod.ts";
import { keyedWriteErrors, openOf } from "../schemas/error.ts";
import {
  deletedAnswer,
  deletedParams,
  type PurgedCounts,
  purgedAnswer,
  purgedParams,
} from "../schemas/v1-team.ts";
import { callerOf } from "./authentication.ts";
import { noSuchMemory } from "./memories.ts";
import { demandProject, noSuchProject, type ProjectScopePorts } from "./project-scope.ts";

export interface DeletionPorts extends ProjectScopePorts {
  /** False when the caller has no record of that id. */
  deleteMemory(caller: Caller, id: string, requestId: string): Promise<boolean>;
  /** Undefined when the caller reaches no such project. */
  purge(caller: Caller, projectId: string, requestId: string): Promise<PurgedCounts | undefined>;
}

/** `DELETE /v1/memories/:id` and `DELETE /v1/projects/:projectId/memory`, each with its audit row in one transaction. */
export function deletionRoutes(app: App, ports: DeletionPorts): void {
  route(app, "DELETE /v1/memories/:id", {
    config: { access: "memories:write", openOverQuota: true },
    summary: "Delete one record, with its links to its sources.",
    params: deletedParams,
    response: { 200: deletedAnswer, ...openOf(keyedWriteErrors) },
    handler: async (request) => {
      const { id } = request.params;
      const deleted = isId(id) && (await ports.deleteMemory(callerOf(request), id, request.id));
      if (!deleted) throw noSuchMemory();
      return { deleted: true as const, id };
    },
  });
  route(app, "DELETE /v1/projects/:projectId/memory", {
    config: { access: "memories:write", openOverQuota: true },
    summary: "Delete everything captured in a project, named by its id or name; the project itself stays.",
    params: purgedParams,
    response: { 200: purgedAnswer, ...openOf(keyedWriteErrors) },
    handler: async (request) => {
      const caller = callerOf(request);
      const { project_id } = await demandProject(caller, request.params.projectId, ports);
      const counts = await ports.purge(caller, project_id, request.id);
      if (counts === undefined) throw noSuchProject();
      return { purged: true as const, projectId: project_id, counts };
    },
  });
}
