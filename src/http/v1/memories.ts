// Single records over HTTP: created by hand, read by id.
import { MemError } from "../../core/errors.ts";
import type { HostedObservation } from "../../core/records/hosted-record.ts";
import type { SharedResult } from "../../core/records/shared-record.ts";
import { type Caller, isId, type ProjectScope } from "../../core/records/tenancy.ts";
import { route } from "../plugins/route.ts";
import type { App } from "../plugins/zod.ts";
import { keyedLookupErrors, keyedWriteErrors } from "../schemas/error.ts";
import { memoryAnswer, memoryParams, type NewMemory, newMemory } from "../schemas/v1-recall.ts";
import { type SharedBody, sharedAnswer, sharedRecords } from "../schemas/v1-shared.ts";
import { callerOf } from "./authentication.ts";
import { demandProject, type ProjectScopePorts } from "./project-scope.ts";
import { observationOnWire, type Read } from "./recall.ts";

export interface MemoryPorts extends ProjectScopePorts {
  byId(caller: Caller, id: string): Promise<HostedObservation | undefined>;
  /** Stores it cleaned; throws `not_found` for a session that the project does not have. */
  add(write: {
    caller: Caller;
    scope: ProjectScope;
    memory: NewMemory;
    request_id: string;
  }): Promise<HostedObservation>;
  /** One result per record, in order; all or none. Throws `device_taken` for a device with another secret. */
  share(write: {
    caller: Caller;
    scope: ProjectScope;
    records: SharedBody["records"];
    device_secret: string | null;
    request_id: string;
  }): Promise<SharedResult[]>;
  recordRead(read: Read): Promise<void>;
}

/** `POST /v1/memories`, `POST /v1/memories/shared` and `GET /v1/memories/:id`. */
export function memoryRoutes(app: App, ports: MemoryPorts): void {
  route(app, "POST /v1/memories", {
    config: { access: "memories:write" },
    summary: "Record something by hand; no model is asked.",
    body: newMemory,
    response: { 201: memoryAnswer, ...keyedWriteErrors },
    handler: async (request, reply) => {
      const caller = callerOf(request);
      const { body } = request;
      const scope = await demandProject(caller, body.projectId, ports);
      const memory = await ports.add({ caller, scope, memory: body, request_id: request.id });
      return reply.code(201).send({ memory: observationOnWire(memory) });
    },
  });
  route(app, "POST /v1/memories/shared", {
    config: { access: "memories:write" },
    summary:
      "Store records of a device, each under its origin: a higher revision replaces, what the team deleted stays deleted. All or none; an empty list checks key and project.",
    readsHeaders: {
      "X-Device-Secret":
        "Kept by the device that shares. Once it was sent, only requests with it write records of this device in the project: else a 403, `device_taken`.",
    },
    body: sharedRecords,
    response: { 200: sharedAnswer, ...keyedWriteErrors },
    handler: async (request) => {
      const caller = callerOf(request);
      const { projectId, records } = request.body;
      const scope = await demandProject(caller, projectId, ports);
      const secret = request.headers["x-device-secret"];
      const device_secret = typeof secret === "string" && secret !== "" ? secret : null;
      const write = { caller, scope, records, device_secret, request_id: request.id };
      const results = records.length === 0 ? [] : await ports.share(write);
      return {
        projectId: scope.project_id,
        results: results.map(({ memory_id, ...result }) => ({ ...result, memoryId: memory_id })),
      };
    },
  });
  route(app, "GET /v1/memories/:id", {
    config: { access: "memories:read" },
    summary: "One record.",
    params: memoryParams,
    response: { 200: memoryAnswer, ...keyedLookupErrors },
    handler: async (request) => {
      const caller = callerOf(request);
      const { id } = request.params;
      const found = isId(id) ? await ports.byId(caller, id) : undefined;
      if (found === undefined) throw noSuchMemory();
      await ports.recordRead({
        caller,
        project_id: found.project_id,
        by: request.routeOptions.url ?? "",
        results: 1,
        resource_id: found.id,
        request_id: request.id,
      });
      return { memory: observationOnWire(found) };
    },
  });
}

/** The same answer for an unknown record and one out of reach. */
export function noSuchMemory(): MemError {
  return new MemError("not_found", {
    message: "There is no such memory.",
    hint: "POST /v1/search finds those that the key reaches.",
  });
}
