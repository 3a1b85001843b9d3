// Sharing with a team: the outbox over the store when a team's server is set up, and what the API tells of it.
import { type Clock, systemTimers } from "../core/clock.ts";
import { MemError } from "../core/errors.ts";
import type { TeamPorts } from "../http/api/team.ts";
import type { TeamHit, TeamStatus } from "../http/schemas/team.ts";
import type { LoadedSettings } from "../settings/load.ts";
import type { Sqlite } from "../store/sqlite/open.ts";
import type { Store } from "../store/sqlite/store.ts";
import { createTeamRecords, type TeamRecords } from "../store/sqlite/sync/team-records.ts";
import { HubFailure } from "../sync/failure.ts";
import { createHubTransport, parseHubAddress } from "../sync/hub-transport.ts";
import { createTeamClient, type TeamClient } from "../sync/team-client.ts";
import { createTeamSender, type SenderStatus, type TeamSender } from "../sync/team-sender.ts";
import type { JsonObject } from "../text/json.ts";

interface TeamDeps {
  db: Sqlite;
  store: Pick<Store, "commit">;
  settings: LoadedSettings;
  clock: Clock;
  warn(sentence: string): void;
  /** This device's id. */
  deviceId(): Promise<string>;
}

export interface TeamSharing {
  ports: TeamPorts;
  start(): void;
  /** A record changed. */
  active(): void;
  /** A sentence when records cannot be sent, else null. */
  notice(): string | null;
  close(): Promise<void>;
}

// The client waits 5 s for the whole answer.
const sendDeadlineMs = 4_000;
const searchDeadlineMs = 4_000;
const shownRefusals = 100;

export function createTeamSharing(deps: TeamDeps): TeamSharing {
  const records = createTeamRecords(deps.db, deps.store);
  const running = createRunning(deps, records);
  return {
    ports: portsOf(deps, records, running),
    start: () => running?.sender.written(),
    active: () => running?.sender.written(),
    notice() {
      const problem = running?.sender.status().last_error ?? null;
      if (problem === null || records.waiting() === 0) return null;
      return `Records for the team wait. ${problem} See \`mem server connect\`.`;
    },
    close: async () => await running?.sender.close(),
  };
}

interface Running {
  client: TeamClient;
  sender: TeamSender;
}

/** Undefined without address and key. */
function createRunning(
  { settings, clock, warn, deviceId }: TeamDeps,
  outbox: TeamRecords,
): Running | undefined {
  const [url, key] = [settings.get("MEM_TEAM_SERVER_URL"), settings.get("MEM_TEAM_SERVER_KEY").reveal()];
  if (url === "" || key === "") return undefined;
  // `mem server connect` stores a plain one only when the user asks for it.
  const address = parseHubAddress(url, { allowHttp: true, whose: "server" });
  if (typeof address === "string") {
    warn(`Nothing goes to the team: ${address}`);
    return undefined;
  }
  const transport = createHubTransport({ address, timers: systemTimers, whose: "server" });
  const client = createTeamClient(transport, key);
  const sender = createTeamSender({
    ...{ outbox, client, clock, self: deviceId },
    onFailure: (cause) =>
      warn(`Sending to the team failed: ${cause instanceof Error ? cause.message : String(cause)}`),
  });
  return { client, sender };
}

const off: SenderStatus = { state: "idle", reason: null, last_error: null, last_sent_at_epoch: null };

function portsOf(
  { settings, clock }: TeamDeps,
  records: TeamRecords,
  running: Running | undefined,
): TeamPorts {
  const demand = (): Running => {
    if (running !== undefined) return running;
    throw new MemError("not_set_up", {
      message: "No server of a team is set up here.",
      hint: "Run `mem server connect --url <url> --key <key> --project <name>`.",
    });
  };
  const status = (): TeamStatus => ({
    configured: running !== undefined,
    url: settings.get("MEM_TEAM_SERVER_URL"),
    team_id: records.team() ?? null,
    ...(running?.sender.status() ?? off),
    ...records.counts(),
    refused: records.refused(shownRefusals),
    projects: records.projects.list(),
  });
  return {
    status,
    async connect({ project, team_project, team_id, earlier }) {
      const { sender } = demand();
      await records.projects.connect({ project, team_project, earlier }, team_id, clock.now());
      sender.written();
    },
    async disconnect(project) {
      if (!(await records.projects.disconnect(project))) throw notConnected(project);
    },
    async send() {
      const { sender } = demand();
      await Promise.race([sender.sendNow(), deadline(sendDeadlineMs)]);
    },
    async search({ query, project, limit }) {
      const { client } = demand();
      const connected = records.projects.list();
      const chosen = connected.filter((each) => project === undefined || each.project === project);
      if (project !== undefined && chosen.length === 0) throw notConnected(project);
      if (chosen.length === 0) throw noneConnected();
      const targets = [...new Set(chosen.map(({ team_project }) => team_project))];
      return await searchAll(client, targets, { query, limit });
    },
    memory: (id) => read(demand().client, id),
  };
}

function deadline(delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, delayMs).unref();
  });
}

function noneConnected(): MemError {
  return new MemError("not_set_up", {
    message: "No project is connected to the team's server.",
    hint: "Connect one: `mem server connect --project <name>`.",
  });
}

function notConnected(project: string): MemError {
  return new MemError("not_found", {
    message: `Records of ${project} do not go to a team.`,
    hint: "See which do: `mem server connect`.",
  });
}

async function searchAll(
  client: TeamClient,
  targets: readonly string[],
  { query, limit }: { query: string; limit: number },
): Promise<TeamHit[]> {
  const found = await asking((signal) =>
    Promise.all(
      targets.map(async (project) =>
        (await client.search({ project, query, limit }, signal)).map((record) => hitOf(project, record)),
      ),
    ),
  );
  return found
    .flat()
    .sort((a, b) => (b.score ?? 0) - (a.score ?? 0))
    .slice(0, limit);
}

function read(client: TeamClient, id: string): Promise<TeamHit> {
  return asking(async (signal) => {
    const record = await client.memory(id, signal);
    if (record === undefined) throw new MemError("not_found", { message: `The team has no record ${id}.` });
    const project = String(record.projectId);
    return hitOf((await client.project(project, signal))?.name ?? project, record);
  });
}

async function asking<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  try {
    return await ask(AbortSignal.timeout(searchDeadlineMs));
  } catch (cause) {
    if (!(cause instanceof HubFailure)) throw cause;
    throw new MemError("team_server_failed", { message: cause.message, cause });
  }
}

function hitOf(team_project: string, record: JsonObject): TeamHit {
  const text = (name: string) => (typeof record[name] === "string" ? record[name] : "");
  const number = (name: string) => (typeof record[name] === "number" ? record[name] : null);
  return {
    id: text("id"),
    team_project,
    kind: text("kind"),
    type: text("type"),
    title: text("title"),
    content: text("content"),
    created_at_epoch: number("createdAtEpoch") ?? 0,
    score: number("score"),
  };
}
