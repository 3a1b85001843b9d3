// Projects in the store: cached lookups, since every request needs one; lists; creation.

import { MemError } from "../../core/errors.ts";
import { newId } from "../../core/ids.ts";
import type { Caller } from "../../core/records/tenancy.ts";
import type { ProjectScopePorts } from "../../http/v1/project-scope.ts";
import type { ProjectPorts } from "../../http/v1/projects.ts";
import { cleanJson, cleanText } from "../../privacy/clean.ts";
import type { Database } from "../../store/postgres/open.ts";
import { createProject, findProject, findProjectId, listProjects } from "../../store/postgres/projects.ts";
import { isJsonObject } from "../../text/json.ts";
import { storableJson, storableText } from "../../text/storable.ts";

// Hits stay valid: projects are not deleted while a server runs, and a purge keeps the project.
const maxRemembered = 10_000;
const longestName = 200;

/** Lookups of projects. Only hits are cached, so a new project is visible immediately. */
export function createProjectScope({ app }: Pick<Database, "app">): ProjectScopePorts {
  const known = new Set<string>();
  const localProjects = new Map<string, string>();

  return {
    async exists({ team_id, project_id }) {
      const name = `${team_id}/${project_id}`;
      if (known.has(name)) return true;
      if ((await findProject(app, { team_id, project_id: null }, project_id)) === undefined) return false;
      if (known.size >= maxRemembered) known.clear();
      known.add(name);
      return true;
    },
    // No project has a name that the column cannot hold.
    idOfName: async (caller, name) =>
      name === storableText(name) && name.length <= longestName
        ? findProjectId(app, caller, name)
        : undefined,
    names: async (caller, most) =>
      (await listProjects(app, caller, { after: "", limit: most })).map(({ name }) => name),
    async localProject(caller) {
      const found = localProjects.get(caller.team_id) ?? (await findProjectId(app, caller, "default"));
      if (found === undefined) throw new MemError("internal", { message: "The local team has no project." });
      localProjects.set(caller.team_id, found);
      return found;
    },
  };
}

export function createProjects({ app }: Pick<Database, "app">, projects: ProjectScopePorts): ProjectPorts {
  return {
    ...projects,
    find: (caller: Caller, id) => findProject(app, caller, id),
    list: (caller, page) => listProjects(app, caller, page),
    async create(caller, { name, metadata }, request_id) {
      const kept = cleanText(storableText(name)).trim();
      if (kept === "")
        throw new MemError("invalid_request", { message: "`name`: all of it is private or secret" });
      const cleaned = cleanJson(storableJson(metadata));
      const project = { id: newId(), name: kept, metadata: isJsonObject(cleaned) ? cleaned : {} };
      const by = { api_key_id: caller.key_id, request_id };
      const made = await createProject(app, caller, { project, by });
      if (made !== undefined) return made;
      throw new MemError("conflict", {
        message: "The team has a project of that name.",
        hint: "Use it: GET /v1/projects shows its id.",
        details: { projectId: await findProjectId(app, caller, kept) },
      });
    },
  };
}
