// Which project a request means: the one it names, within what its key reaches.

import { MemError } from "../../core/errors.ts";
import { type Caller, isId, type ProjectScope } from "../../core/records/tenancy.ts";

/** What is known of projects; answers may be cached. */
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
 * The project of a request: the one that it names by id or by name, else the one of its key. Throws `not_found`, the same for an id
 * that is none, that nobody has and that is out of the key's reach; `invalid_request` when a team's key names none.
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
  // A key's own project is there: the database holds the key to it.
  if (caller.project_id !== null) {
    if (named !== caller.project_id) throw noSuchProject();
    return { team_id, project_id: named };
  }
  const scope = { team_id, project_id: named };
  if (isId(projectId) && !(await ports.exists(scope))) throw noSuchProject();
  return scope;
}

/** The id that a text means, an id or a name within the caller's reach; whether there is one of the id is not asked. */
export async function projectIdOf(
  caller: Caller,
  text: string,
  { idOfName }: Pick<ProjectScopePorts, "idOfName">,
): Promise<string | undefined> {
  return isId(text) ? text : idOfName(caller, text);
}

/** The one answer for every project that a caller cannot have. */
export function noSuchProject(): MemError {
  return new MemError("not_found", {
    message: "There is no such project.",
    hint: "GET /v1/projects lists those that the key reaches.",
  });
}
