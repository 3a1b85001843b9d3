// Checks address, key and projects of a team's server before anything is stored, and makes missing projects.
import { systemTimers } from "../core/clock.ts";
import { MemError } from "../core/errors.ts";
import { HubFailure, type HubFailureKind } from "./failure.ts";
import { createHubTransport, parseHubAddress } from "./hub-transport.ts";
import { createTeamClient, type ServerProject, type TeamClient } from "./team-client.ts";

interface Wanted {
  url: string;
  key: string;
  allowHttp: boolean;
  /** Names or ids on the server. */
  projects: readonly string[];
  /** Throws for a team that must not be joined, before anything is made there. */
  demandTeam(id: string): void;
}

export interface JoinedProject extends ServerProject {
  /** False for one that the team had. */
  isNew: boolean;
}

export interface JoinedTeam {
  team_id: string;
  projects: JoinedProject[];
}

/**
 * The team, and its projects in their order, made where the team has none of that name. Throws `usage` for an address or a key that does not
 * work, and for a key that may not write; `team_server_failed` without an answer.
 */
export async function joinTeam(wanted: Wanted): Promise<JoinedTeam> {
  const { url, key, allowHttp, projects } = wanted;
  const address = parseHubAddress(url, { allowHttp, whose: "server" });
  if (typeof address === "string") throw unchanged(address);
  const client = createTeamClient(
    createHubTransport({ address, timers: systemTimers, whose: "server" }),
    key,
  );
  const { signal } = new AbortController();
  try {
    const team_id = await client.teamId(signal);
    wanted.demandTeam(team_id);
    const joined: JoinedProject[] = [];
    for (const name of projects) {
      const project = await findOrMake(client, name, signal);
      // An empty request says whether the key may write there.
      await client.share({ project: project.id, records: [] }, signal);
      joined.push(project);
    }
    return { team_id, projects: joined };
  } catch (cause) {
    if (!(cause instanceof HubFailure)) throw cause;
    const { kind } = cause.failure;
    const error = unchanged(cause.message, cause, remedies[kind]);
    if (kind !== "unreachable" && kind !== "busy") throw error;
    throw new MemError("team_server_failed", { message: error.message, hint: error.hint ?? "", cause });
  } finally {
    await client.close();
  }
}

async function findOrMake(client: TeamClient, name: string, signal: AbortSignal): Promise<JoinedProject> {
  const found = await client.project(name, signal);
  if (found !== undefined) return { ...found, isNew: false };
  try {
    return { ...(await client.createProject(name, signal)), isNew: true };
  } catch (cause) {
    if (!(cause instanceof HubFailure) || cause.failure.kind !== "read_only") throw cause;
    throw unchanged(
      `The team has no project ${name} that the key reaches, and the key may not make one: name it with \`--as\`, or use a key of the whole team that may write.`,
      cause,
    );
  }
}

// On the server's host.
const writingKey =
  "Make a key on the server: `mem keys create --team <name> --scope memories:read --scope memories:write`.";
const remedies: Partial<Record<HubFailureKind["kind"], string>> = {
  unauthorized: writingKey,
  read_only: writingKey,
  unreachable: "Try again when the server answers.",
};

function unchanged(message: string, cause?: unknown, next?: string): MemError {
  const hint = next === undefined ? "Nothing was changed." : `Nothing was changed. ${next}`;
  return new MemError("usage", { message, hint, cause });
}
