// Generation jobs over HTTP: poll, list, retry, cancel.
import { MemError } from "../../core/errors.ts";
import type { HostedJob, JobStatus } from "../../core/records/hosted-event.ts";
import type { Caller } from "../../core/records/tenancy.ts";
import { route } from "../plugins/route.ts";
import type { App } from "../plugins/zod.ts";
import { keyedErrors, keyedLookupErrors, keyedWriteErrors, openOf } from "../schemas/error.ts";
import { anyIdParams, jobAnswer, jobsAnswer, jobsQuery, nothing, v1Job } from "../schemas/v1-jobs.ts";
import { callerOf } from "./authentication.ts";
import { onWire } from "./on-wire.ts";

interface JobsQuery {
  status: JobStatus | undefined;
  projectId: string | undefined;
  since_epoch: number;
  before_seq: number | undefined;
  limit: number;
}

export interface JobPorts {
  find(caller: Caller, id: string): Promise<HostedJob | undefined>;
  /** Newest first, of all projects in reach when none is named. Throws `not_found` for the project. */
  list(caller: Caller, query: JobsQuery): Promise<HostedJob[]>;
  /** The changed job; undefined when there is none. Throws `conflict` when its state does not allow it. */
  retry(caller: Caller, id: string, requestId: string): Promise<HostedJob | undefined>;
  cancel(caller: Caller, id: string, requestId: string): Promise<HostedJob | undefined>;
}

/** `GET /v1/jobs`, `GET /v1/jobs/:id`, `POST /v1/jobs/:id/retry` and `/cancel`. */
export function jobRoutes(app: App, jobs: JobPorts): void {
  readRoutes(app, jobs);
  for (const change of ["retry", "cancel"] as const) {
    route(app, `POST /v1/jobs/:id/${change}`, {
      config: { access: "memories:write", ...(change === "cancel" ? { openOverQuota: true } : {}) },
      summary:
        change === "retry"
          ? "Requeue a failed or cancelled job; a queued one is unchanged."
          : "Cancel a queued or running job.",
      params: anyIdParams,
      body: nothing,
      response: {
        200: jobAnswer,
        ...(change === "cancel" ? openOf(keyedWriteErrors) : keyedWriteErrors),
      },
      handler: async (request) => {
        const job = await jobs[change](callerOf(request), request.params.id, request.id);
        if (job === undefined) throw noSuchJob();
        return { generationJob: jobOnWire(job) };
      },
    });
  }
}

function readRoutes(app: App, jobs: JobPorts): void {
  route(app, "GET /v1/jobs/:id", {
    config: { access: "memories:read" },
    summary: "One job, with the ids of its observations.",
    params: anyIdParams,
    response: { 200: jobAnswer, ...keyedLookupErrors },
    handler: async (request) => {
      const job = await jobs.find(callerOf(request), request.params.id);
      if (job === undefined) throw noSuchJob();
      return { generationJob: jobOnWire(job) };
    },
  });
  route(app, "GET /v1/jobs", {
    config: { access: "memories:read" },
    summary: "Jobs, newest first.",
    querystring: jobsQuery,
    response: { 200: jobsAnswer, ...keyedErrors, 404: keyedLookupErrors[404] },
    handler: async (request) => {
      const { status, projectId, since, limit, cursor } = request.query;
      const found = await jobs.list(callerOf(request), {
        status,
        projectId,
        since_epoch: since,
        before_seq: cursor === undefined ? undefined : seqOf(cursor),
        limit: limit + 1,
      });
      const shown = found.slice(0, limit);
      const last = shown.at(-1);
      return {
        jobs: shown.map(jobOnWire),
        limit,
        nextCursor: found.length > limit && last !== undefined ? cursorOf(last.seq) : null,
      };
    },
  });
}

function cursorOf(seq: number): string {
  return Buffer.from(`job:${seq}`).toString("base64url");
}

function seqOf(cursor: string): number {
  const seq = /^job:([1-9]\d{0,14})$/.exec(Buffer.from(cursor, "base64url").toString())?.[1];
  if (seq !== undefined) return Number(seq);
  throw new MemError("invalid_request", { message: "`cursor`: must be the nextCursor of an answer" });
}

function noSuchJob(): MemError {
  return new MemError("not_found", {
    message: "There is no such job.",
    hint: "GET /v1/jobs lists those that the key reaches.",
  });
}

function jobOnWire(job: HostedJob) {
  return onWire(v1Job, job, {
    agentEventId: job.source_type === "agent_event" ? job.source_id : null,
    serverSessionId: job.session_id,
  });
}
