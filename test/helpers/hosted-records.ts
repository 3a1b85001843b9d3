// Teams, projects and records of the hosted server for tests.

import { newId } from "../../src/core/ids.ts";
import type { NewHostedObservation } from "../../src/core/records/hosted-record.ts";
import type { ProjectScope } from "../../src/core/records/tenancy.ts";
import type { Database } from "../../src/store/postgres/open.ts";
import { ensureProject, ensureTeam } from "../../src/store/postgres/teams.ts";

/** A new project, in a new team unless one is given. */
export async function makeProject(
  { system }: Pick<Database, "system">,
  team?: string,
): Promise<ProjectScope> {
  const team_id = team ?? (await ensureTeam(system, { id: newId(), name: `team ${newId()}` }));
  return { team_id, project_id: await ensureProject(system, { id: newId(), team_id, name: newId() }) };
}

/** A record of the project, with what is given of it. */
export function hostedObservation(
  { team_id, project_id }: ProjectScope,
  given: Partial<NewHostedObservation> = {},
): NewHostedObservation {
  return {
    id: newId(),
    team_id,
    project_id,
    session_id: null,
    kind: "observation",
    obs_type: "discovery",
    title: "a record",
    subtitle: null,
    summary: given.title ?? "a record",
    narrative: null,
    facts: [],
    concepts: [],
    files_read: [],
    files_modified: [],
    metadata: {},
    generator: "local",
    provenance: "agent",
    prompt_number: null,
    discovery_tokens: 0,
    generation_key: null,
    created_by_job_id: null,
    memory_epoch: "1",
    created_at_epoch: null,
    sources: [],
    ...given,
  };
}
