// Client of the team's server: shares records and searches. Every answer is checked; every failure is a `HubFailure`.
import {
  type SharedOutcome,
  type SharedResult,
  sharedLimits,
  sharedOutcomes,
} from "../core/records/shared-record.ts";
import type { TeamRecord } from "../core/records/team.ts";
import { isJsonObject, type JsonObject, parseJson } from "../text/json.ts";
import { HubFailure, type HubFailureKind } from "./failure.ts";
import { readRefusal } from "./hub-answers.ts";
import type { HubAnswer, HubRequest, HubTransport } from "./hub-transport.ts";

/** A project of the team, as the server names it. */
export interface ServerProject {
  id: string;
  name: string;
}

export type TeamClient = ReturnType<typeof createTeamClient>;

/** The body of a request that shares records. */
function sharedBody(projectId: string, records: readonly TeamRecord[]): string {
  return JSON.stringify({ projectId, records: records.map(onWire) });
}

/** Throws `HubFailure` in every function; `no_project` and `read_only` need a person. */
export function createTeamClient(transport: HubTransport, key: string) {
  const headers = { authorization: `Bearer ${key}` };
  const ask = async (request: Omit<HubRequest, "headers"> & Partial<HubRequest>, signal: AbortSignal) =>
    objectIn(await transport.exchange({ ...request, headers: { ...headers, ...request.headers } }, signal));
  const post = (path: string, body: string, maxAnswerBytes: number, signal: AbortSignal) =>
    ask({ method: "POST", path, body, maxAnswerBytes }, signal);
  /** Empty for a 404. */
  const found = async (path: string, signal: AbortSignal): Promise<JsonObject> => {
    const answer = await transport.exchange(
      { method: "GET", path, headers, maxAnswerBytes: maxRecordBytes },
      signal,
    );
    return answer.status === 404 ? {} : objectIn(answer);
  };
  return {
    /** One result for each record, in order. All are stored, or none. */
    async share(
      { project, records, secret }: { project: string; records: readonly TeamRecord[]; secret?: string },
      signal: AbortSignal,
    ): Promise<SharedResult[]> {
      const { results } = await ask(
        {
          ...{ method: "POST", path: "/v1/memories/shared", body: sharedBody(project, records) },
          headers: secret === undefined ? {} : { "x-device-secret": secret },
          maxAnswerBytes: 1_024 + 400 * records.length,
        },
        signal,
      );
      if (!Array.isArray(results) || results.length !== records.length)
        throw bad("did not answer each record");
      return results.map(resultOf);
    },
    /** Id of the team that the key belongs to. */
    async teamId(signal: AbortSignal): Promise<string> {
      const { team } = await ask({ method: "GET", path: "/v1/team", maxAnswerBytes: 64 * 1024 }, signal);
      const id = isJsonObject(team) ? team.id : undefined;
      if (typeof id !== "string" || id === "") throw bad("sent no team");
      return id;
    },
    /** The project of that name or id; undefined when the key reaches none. */
    async project(name: string, signal: AbortSignal): Promise<ServerProject | undefined> {
      const { project } = await found(`/v1/projects/${encodeURIComponent(name)}`, signal);
      return project === undefined ? undefined : projectOf(project);
    },
    async createProject(name: string, signal: AbortSignal): Promise<ServerProject> {
      return projectOf((await post("/v1/projects", JSON.stringify({ name }), 64 * 1024, signal)).project);
    },
    /** The record of that id; undefined when the key reaches none. */
    async memory(id: string, signal: AbortSignal): Promise<JsonObject | undefined> {
      const { memory } = await found(`/v1/memories/${encodeURIComponent(id)}`, signal);
      return isJsonObject(memory) ? memory : undefined;
    },
    /** Records of one project, best first, as the server sends them. */
    async search(
      asked: { project: string; query: string; limit: number },
      signal: AbortSignal,
    ): Promise<JsonObject[]> {
      const { project: projectId, query, limit } = asked;
      const body = JSON.stringify({ projectId, query, limit });
      const { observations } = await post("/v1/search", body, maxSearchBytes, signal);
      if (!Array.isArray(observations)) throw bad("sent no list of records");
      return observations.filter(isJsonObject);
    },
    close: () => transport.close(),
  };
}

const maxRecordBytes = 8 * 1024 * 1024;
const maxSearchBytes = 32 * 1024 * 1024;

function onWire({ kind, record_id, revision, device, content }: TeamRecord): JsonObject {
  const origin = { device, kind, id: String(record_id), revision };
  return content === null ? { ...origin, deleted: true } : { ...origin, ...content };
}

function resultOf(value: unknown): SharedResult {
  const { outcome, memoryId, revision } = isJsonObject(value) ? value : {};
  const known = sharedOutcomes.find((each): each is SharedOutcome => each === outcome);
  if (
    known === undefined ||
    typeof revision !== "number" ||
    !Number.isSafeInteger(revision + 1) ||
    revision < 0
  )
    throw bad("answered a record in an unknown form");
  return { outcome: known, memory_id: typeof memoryId === "string" ? memoryId : null, revision };
}

function projectOf(value: unknown): ServerProject {
  const { id, name } = isJsonObject(value) ? value : {};
  if (typeof id !== "string" || typeof name !== "string") throw bad("sent no project");
  return { id, name };
}

function objectIn(answer: HubAnswer): JsonObject {
  if (answer.status !== 200 && answer.status !== 201) throw refusalOf(answer);
  const value = answer.json === undefined ? undefined : parseJson(answer.json);
  if (!isJsonObject(value)) throw bad("sent no JSON object");
  return value;
}

function bad(what: string): HubFailure {
  return new HubFailure({ kind: "bad_answer" }, `The server ${what}.`);
}

const busy: readonly number[] = [402, 408, 409, 425, 429, 503, 507];

// No text of the server is in a message, so none can have the key.
function refusalOf({ status, retryAfterMs = 0, json }: HubAnswer): HubFailure {
  const as = (failure: HubFailureKind, message: string) => new HubFailure(failure, message);
  const { code } = readRefusal(json);
  if (code === "device_taken") return as({ kind: "refused_op", index: 0, code, reason: taken }, taken);
  if (status === 401) return as({ kind: "unauthorized" }, "The server refuses the key.");
  if (status === 403) return as({ kind: "read_only" }, "The key may not write: it needs `memories:write`.");
  if (status === 404) return as({ kind: "no_project" }, "The key reaches no such project on the server.");
  if (status === 413) return as({ kind: "too_large" }, "The server takes smaller requests only.");
  if (status === 400 || status === 422)
    return as({ kind: "refused_op", index: 0, code: "invalid_request", reason: refused }, refused);
  if (status === 402) return as({ kind: "busy", retryAfterMs }, "The team is over its monthly quota.");
  if (busy.includes(status)) return as({ kind: "busy", retryAfterMs }, "The server asks to come back later.");
  return as({ kind: "bad_answer" }, `The server answered with status ${status}.`);
}

const refused = "The server does not accept its form.";
const taken = "The team has records of another device under this device's name.";

/** Records that fit into one request: always at least one. */
export function fitting(
  project: string,
  records: readonly TeamRecord[],
  most: number = sharedLimits.records,
): TeamRecord[] {
  let bytes = Buffer.byteLength(sharedBody(project, []));
  const fit: TeamRecord[] = [];
  for (const record of records.slice(0, most)) {
    bytes += Buffer.byteLength(JSON.stringify(onWire(record))) + 1;
    if (fit.length > 0 && bytes > sharedLimits.bytes) break;
    fit.push(record);
  }
  return fit;
}
