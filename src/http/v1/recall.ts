// Recall over HTTP: search, context, newest records. Each read writes one audit row, without its words.
import type { FastifyRequest } from "fastify";
import type { HostedObservation, ObservationFilter } from "../../core/records/hosted-record.ts";
import type { Caller, ProjectScope } from "../../core/records/tenancy.ts";
import { route } from "../plugins/route.ts";
import type { App } from "../plugins/zod.ts";
import { keyedErrors, keyedWriteErrors } from "../schemas/error.ts";
import {
  contextAnswer,
  contextBody,
  observation,
  observationsAnswer,
  recallBody,
  searchBody,
  type WireObservation,
} from "../schemas/v1-recall.ts";
import { callerOf } from "./authentication.ts";
import { onWire } from "./on-wire.ts";
import { demandProject, type ProjectScopePorts } from "./project-scope.ts";

/**
 * A record of an answer; `score` is higher for the better, and left out where nothing was compared. `isNear`: found by its
 * meaning alone.
 */
export type FoundObservation = HostedObservation & { score?: number; isNear?: true };

/** The answer to a search. */
export interface SearchAnswer {
  found: FoundObservation[];
  /** Set when no words matched: the list is by time, or by filters alone. */
  listed?: "time" | "filters";
  /** How the words were interpreted, such as a time that they name and its time zone. */
  notes: string[];
}

/** Who reads, for the audit log. */
export interface Asker {
  caller: Caller;
  /** The route's template, or the tool. */
  by: string;
  request_id: string;
}

/** A finished read, for the audit log. */
export interface Read extends Asker {
  project_id: string | null;
  results: number;
  resource_id: string | null;
}

export interface RecallPorts extends ProjectScopePorts {
  /** The best records for the words; the newest for stop words alone. */
  search(
    scope: ProjectScope,
    asked: { words: string; filter: ObservationFilter; limit: number },
  ): Promise<SearchAnswer>;
  /** Notes for every search, such as an unavailable part of it. */
  notes(): string[];
  /** The newest records. */
  recent(
    scope: ProjectScope,
    asked: { filter: ObservationFilter; limit: number },
  ): Promise<FoundObservation[]>;
  /** The first of them that fit, as one text. */
  contextOf(found: readonly HostedObservation[], tokens: number): string;
  /** Statements that match the words, rules and open work of the project, then found records that fit. */
  passedOn(asked: ContextAsked): Promise<string>;
  /** Resolves when the audit row is written, or failed. */
  recordRead(read: Read): Promise<void>;
}

/** A request for context. */
export interface ContextAsked {
  caller: Caller;
  scope: ProjectScope;
  /** Null without words. */
  words: string | null;
  found: readonly HostedObservation[];
  tokens: number;
}

interface Asked {
  projectId?: string | undefined;
  platformSource?: string | undefined;
  kind?: string | undefined;
  obsType?: string | undefined;
  query?: string | undefined;
  limit: number;
}

/** `POST /v1/search`, `/v1/context` and `/v1/recall`, the last one by `GET` too. */
export function recallRoutes(app: App, ports: RecallPorts): void {
  route(app, "POST /v1/search", {
    config: { access: "memories:read" },
    summary: "Search records by words, best first.",
    body: searchBody,
    response: { 200: observationsAnswer, ...keyedWriteErrors },
    handler: async (request) => answerOf(ports, request.body, await find(ports, request, request.body)),
  });
  route(app, "POST /v1/context", {
    config: { access: "memories:read" },
    summary: "Search records, with one text for an agent's context.",
    body: contextBody,
    response: { 200: contextAnswer, ...keyedWriteErrors },
    handler: async (request) => {
      const answer = await find(ports, request, request.body);
      const context = await contextFor(ports, request, answer);
      return { ...answerOf(ports, request.body, answer), context };
    },
  });
  recallAliases(app, ports);
}

function recallAliases(app: App, ports: RecallPorts): void {
  const summary = "Find records by words; the newest ones without words.";
  route(app, "POST /v1/recall", {
    config: { access: "memories:read" },
    summary,
    body: recallBody,
    response: { 200: observationsAnswer, ...keyedWriteErrors },
    handler: async (request) => answerOf(ports, request.body, await find(ports, request, request.body)),
  });
  route(app, "GET /v1/recall", {
    config: { access: "memories:read" },
    summary,
    querystring: recallBody,
    response: { 200: observationsAnswer, ...keyedErrors, 404: keyedWriteErrors[404] },
    handler: async (request) => answerOf(ports, request.query, await find(ports, request, request.query)),
  });
}

function answerOf(ports: RecallPorts, { query }: Asked, answer: SearchAnswer) {
  const { found } = answer;
  return {
    observations: found.map(observationOnWire),
    ...(query === undefined ? {} : notesOf(ports, answer)),
  };
}

/** `notes` of an answer, where there are any. */
export function notesOf(
  ports: Pick<RecallPorts, "notes">,
  answer: Pick<SearchAnswer, "notes">,
): { notes?: string[] } {
  const notes = [...ports.notes(), ...answer.notes];
  return notes.length === 0 ? {} : { notes };
}

// With a filter, the context has the found records only.
function contextFor(
  ports: RecallPorts,
  request: FastifyRequest<{ Body: Asked & { tokenBudget: number } }>,
  { found, scope }: SearchAnswer & { scope: ProjectScope },
): Promise<string> | string {
  const { query = null, tokenBudget: tokens, ...asked } = request.body;
  const isNarrowed = Object.values(filterOf(asked)).some((one) => one !== null);
  if (isNarrowed) return ports.contextOf(found, tokens);
  return ports.passedOn({ caller: callerOf(request), scope, words: query, found, tokens });
}

async function find(
  ports: RecallPorts,
  request: FastifyRequest,
  asked: Asked,
): Promise<SearchAnswer & { scope: ProjectScope }> {
  const caller = callerOf(request);
  const scope = await demandProject(caller, asked.projectId, ports);
  const by = { caller, by: request.routeOptions.url ?? "", request_id: request.id };
  const { query: words = null, limit } = asked;
  return { ...(await readRecords(ports, scope, { by, words, filter: filterOf(asked), limit })), scope };
}

/** The best records for the words, or the newest without words; the read is recorded in the audit log. */
export async function readRecords(
  ports: RecallPorts,
  scope: ProjectScope,
  { by, words, ...asked }: { by: Asker; words: string | null; filter: ObservationFilter; limit: number },
): Promise<SearchAnswer> {
  const answer: SearchAnswer =
    words === null
      ? { found: await ports.recent(scope, asked), notes: [] }
      : await ports.search(scope, { ...asked, words });
  const { project_id } = scope;
  await ports.recordRead({ ...by, project_id, results: answer.found.length, resource_id: null });
  return answer;
}

function filterOf({ kind, obsType, platformSource }: Omit<Asked, "limit">): ObservationFilter {
  return { kind: kind ?? null, obs_type: obsType ?? null, platform_source: platformSource ?? null };
}

/** The record as it is answered. */
export function observationOnWire(found: FoundObservation): WireObservation {
  const { score, ...answer } = onWire(observation, found, {
    serverSessionId: found.session_id,
    type: found.obs_type,
    score: found.score,
  });
  return score === undefined ? answer : { ...answer, score };
}
