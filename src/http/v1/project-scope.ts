// The project of a request, within the reach of its key.

import { MemError } from "../../core/errors.ts";
import { type Caller, isId, type ProjectScope } from "../../core/records/tenancy.ts";

/** Lookups of projects; answers may be cached. */
export interface ProjectScopePorts {
  /** Whether the team has the project. */
  exists(scope: ProjectScope): Promise<boolean>;
  /** The id of the project of that name within the caller's reach. */
  idOfName(caller: Caller, name: string): Promise<string | undefined>;
  /** The first names within the caller's reach, at most so many. */
  names(caller: Caller, most: number): Promise<string[]>;
  /** The project of a server without keys, for requests that name none. */
  localProject(caller: Caller): Promise<string>;
}

/**
 * The project of a request: named by id or name, else that of its key. Throws `not_found`, the same for a malformed id,
 * an unknown one and one out of reach; `invalid_request` when a team's key names none.
 */
export async function demandProject(
  caller: Caller,
  projectId: string | undefined,
  ports: ProjectScopePorts,
): Promise<ProjectScope> {
  const { team_id } = caller;
  if (projectId === undefined) {
    if (caller.project_id !== null) return { team_id, project_id: caller.project_id };
    if (caller.key_id === null) return { team_id, project_id: await ports.localProject(caller) };
    throw new MemError("invalid_request", {
      message: "`projectId` is needed: the key reaches every project of its team.",
      hint: "Name one of GET /v1/projects by its id or its name, or use a key of one project.",
    });
  }
  const named = await projectIdOf(caller, projectId, ports);
  if (named === undefined) throw noSuchProject();
  // A key's own project exists, by a foreign key.
  if (caller.project_id !== null) {
    if (named !== caller.project_id) throw noSuchProject();
    return { team_id, project_id: named };
  }
  const scope = { team_id, project_id: named };
  if (isId(projectId) && !(await ports.exists(scope))) throw noSuchProject();
  return scope;
}

/** The id of a text, which is an id or a name within the caller's reach; an id is not looked up. */
export async function projectIdOf(
  caller: Caller,
  text: string,
  { idOfName }: Pick<ProjectScopePorts, "idOfName">,
): Promise<string | undefined> {
  return isId(text) ? text : idOfName(caller, text);
}

/** The same answer for an unknown project and one out of reach. */
export function noSuchProject(): MemError {
  return new MemError("not_found", {
    message: "There is no such project.",
    hint: "GET /v1/projects lists those that the key reaches.",
  });
}
