// Generation jobs in the store: find, list, and retry or cancel with an audit row.

import { MemError } from "../../core/errors.ts";
import { type Caller, isId } from "../../core/records/tenancy.ts";
import type { JobPorts } from "../../http/v1/jobs.ts";
import { demandProject, type ProjectScopePorts } from "../../http/v1/project-scope.ts";
import { insertAudit } from "../../store/postgres/audit.ts";
import { cancelJob, findJob, type JobChange, listJobs, retryJob } from "../../store/postgres/jobs.ts";
import type { Connections } from "../../store/postgres/open.ts";

interface JobDeps {
  app: Connections;
  projects: ProjectScopePorts;
}

export function createJobs({ app, projects }: JobDeps): JobPorts {
  return {
    async find(caller, id) {
      return isId(id) ? findJob(app, caller, id) : undefined;
    },
    async list(caller, { projectId, ...filter }) {
      const project_id =
        projectId === undefined
          ? caller.project_id
          : (await demandProject(caller, projectId, projects)).project_id;
      return listJobs(app, caller, { ...filter, project_id });
    },
    async retry(caller, id, requestId) {
      if (!isId(id)) return undefined;
      const wish = { caller, requestId, action: "job.retried" };
      return demandChanged("tried again", await retryJob(app, caller, id, auditOf(wish)));
    },
    async cancel(caller, id, requestId) {
      if (!isId(id)) return undefined;
      const wish = { caller, requestId, action: "job.cancelled" };
      return demandChanged("cancelled", await cancelJob(app, caller, id, auditOf(wish)));
    },
  };
}

function auditOf({
  caller,
  requestId,
  action,
}: {
  caller: Caller;
  requestId: string;
  action: string;
}): Parameters<typeof retryJob>[3] {
  return (connection, job) =>
    insertAudit(connection, {
      team_id: job.team_id,
      project_id: job.project_id,
      api_key_id: caller.key_id,
      action,
      resource_type: "generation_job",
      resource_id: job.id,
      details: {},
      request_id: requestId,
    });
}

function demandChanged(what: string, change: JobChange | undefined): JobChange["job"] | undefined {
  if (change?.outcome !== "refused") return change?.job;
  throw new MemError("conflict", {
    message: `A job that is ${change.job.status} cannot be ${what}.`,
    hint: "GET /v1/jobs/:id shows where it stands.",
  });
}
