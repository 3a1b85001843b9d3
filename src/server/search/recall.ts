// Recall over the store: each search or list in one transaction, manual records, audit rows of reads.

import { recordsBlock } from "../../context/request-context.ts";
import type { Clock } from "../../core/clock.ts";
import type { AgentRecordPorts } from "../../http/v1/mcp-writing-tools.ts";
import type { MemoryPorts } from "../../http/v1/memories.ts";
import type { ProjectScopePorts } from "../../http/v1/project-scope.ts";
import type { RecallPorts } from "../../http/v1/recall.ts";
import { type AuditWriter, createAuditWriter } from "../../store/postgres/audit-writer.ts";
import { observationById, recentObservations } from "../../store/postgres/observations.ts";
import type { Database } from "../../store/postgres/open.ts";
import { inTenant } from "../../store/postgres/tenant.ts";
import { createAgentRecords } from "../intake/agent-records.ts";
import { addMemory } from "../intake/manual-memory.ts";
import { addSharedRecords } from "../intake/shared-records.ts";
import type { Meaning } from "./meaning.ts";
import { createProjectSearch } from "./project-search.ts";
import { createHostedContext, isInjected } from "./request-context.ts";

interface RecallDeps {
  database: Pick<Database, "app" | "system">;
  clock: Clock;
  projects: ProjectScopePorts;
  meaning: Meaning;
  /** Called for audit rows that could not be written. */
  onAuditFailure(cause: unknown, rows: number): void;
}

type HostedMemory = RecallPorts & MemoryPorts & AgentRecordPorts;

export interface Recall {
  ports: HostedMemory;
  audit: AuditWriter;
}

export function createRecall({ database, clock, projects, meaning, onAuditFailure }: RecallDeps): Recall {
  const { app, system } = database;
  const search = createProjectSearch(clock);
  const audit = createAuditWriter({ system, onFailure: onAuditFailure });
  const ports: HostedMemory = {
    ...projects,
    search: (scope, asked) =>
      meaning.within(asked.words, (near) =>
        inTenant(app, scope, (connection) => search.search(connection, scope, { ...asked, near })),
      ),
    notes: meaning.notes,
    recent: (scope, asked) =>
      inTenant(app, scope, (connection) => recentObservations(connection, scope, asked)),
    contextOf: (found, tokens) => recordsBlock(found.filter(isInjected), tokens),
    passedOn: createHostedContext(app),
    byId: (caller, id) => inTenant(app, caller, (connection) => observationById(connection, caller, id)),
    add: (write) => addMemory(app, write),
    ...createAgentRecords(app),
    share: (write) => addSharedRecords(app, write),
    recordRead: ({ caller, project_id, by, results, resource_id, request_id }) =>
      audit.write({
        team_id: caller.team_id,
        project_id,
        api_key_id: caller.key_id,
        action: "observation.read",
        resource_type: "observation",
        resource_id,
        details: { by, results },
        request_id,
      }),
  };
  return { ports, audit };
}
