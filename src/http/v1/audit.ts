// The audit log over HTTP.
import type { AuditEntry, AuditPage } from "../../core/records/audit.ts";
import type { Caller } from "../../core/records/tenancy.ts";
import { route } from "../plugins/route.ts";
import type { App } from "../plugins/zod.ts";
import { keyedErrors } from "../schemas/error.ts";
import { auditAnswer, auditEntry, auditQuery } from "../schemas/v1-team.ts";
import { callerOf } from "./authentication.ts";
import { onWire } from "./on-wire.ts";
import { type ProjectScopePorts, projectIdOf } from "./project-scope.ts";

export interface AuditPorts extends Pick<ProjectScopePorts, "idOfName"> {
  read(caller: Caller, page: AuditPage): Promise<AuditEntry[]>;
}

/** `GET /v1/audit`, newest first. A key of one project sees the entries of that project. */
export function auditRoutes(app: App, ports: AuditPorts): void {
  route(app, "GET /v1/audit", {
    config: { access: "memories:read" },
    summary: "Reads, deletions, new keys and purges within the caller's reach, newest first.",
    querystring: auditQuery,
    response: { 200: auditAnswer, ...keyedErrors },
    handler: async (request) => {
      const { action = null, projectId, since = null, before = null, limit } = request.query;
      const caller = callerOf(request);
      const project_id = projectId === undefined ? null : await projectIdOf(caller, projectId, ports);
      // An unknown project and one out of reach have no entries.
      if (project_id === undefined) return { entries: [], nextBefore: null };
      const page = { action, project_id, since, before_seq: before, limit: limit + 1 };
      const found = await ports.read(caller, page);
      const entries = found.slice(0, limit);
      return {
        entries: entries.map((entry) => onWire(auditEntry, entry)),
        nextBefore: found.length > limit ? (entries.at(-1)?.seq ?? null) : null,
      };
    },
  });
}
