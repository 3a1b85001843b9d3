// Ports, access and error statuses of the `/api` routes in both services. The worker's ports reach its whole store; the
// server binds them to the reach of a request's key.
import type { FastifyContextConfig, FastifyRequest } from "fastify";
import type * as z from "zod";
import type { Intake } from "../../capture/inputs.ts";
import type { Observation, Parsed, Session, SessionSummary, UserPrompt } from "../../core/records/records.ts";
import type { FileObservation, FileTimelineRequest } from "../../recall/by-file.ts";
import type { SearchResults } from "../../recall/search.ts";
import type { TimelineItem, TimelineRequest } from "../../recall/timeline.ts";
import type { Topic, TopicRequest } from "../../recall/topics.ts";
import { route } from "../plugins/route.ts";
import type { App } from "../plugins/zod.ts";
import type { changeErrors, lookupErrors, readErrors, writeErrors } from "../schemas/error.ts";
import type { SearchQuery } from "../schemas/search.ts";
import type { Stats } from "../schemas/status.ts";

/** A value, or a promise of it: the worker reads SQLite synchronously, the server asks Postgres. */
export type Awaitable<T> = T | Promise<T>;

export interface ApiService {
  portsFor(request: FastifyRequest): ApiPorts;
  /** Route options: the server names the scope of the key. */
  access: Record<"read" | "write", { config?: FastifyContextConfig }>;
  errors: {
    read: typeof readErrors;
    lookup: typeof lookupErrors;
    write: typeof writeErrors;
    change: typeof changeErrors;
  };
  /** Query of the routes of one record. */
  recordQuery: z.ZodType<{ project?: string | undefined }>;
  /** Query of the pages of observations. */
  observationPageQuery: z.ZodType<PageRequest>;
}

export interface PageRequest {
  offset: number;
  limit: number;
  project?: string | undefined;
  /** Host agent; of observations only. */
  source?: string | undefined;
}

export interface Page<R> {
  items: R[];
  hasMore: boolean;
}

/** One kind of record: pages, newest first, and one by its id; of one project when it is given. */
export interface Records<R> {
  page(request: PageRequest): Awaitable<Page<R>>;
  byId(id: number, project?: string): Awaitable<R | undefined>;
}

/** Where prompts and messages go; each call resolves after its events are committed. */
export type SessionIntake = Pick<Intake, "initSession" | "observe" | "summarize" | "complete">;

/** A session that a route names by its number. */
export interface NumberedSession {
  session: Session;
  /** Messages that wait or are being processed. */
  waiting: number;
  intake: SessionIntake;
}

export interface ApiPorts {
  intake: SessionIntake;
  observations: Records<Observation>;
  summaries: Records<SessionSummary>;
  prompts: Records<UserPrompt>;
  sessions: {
    page: Records<Session>["page"];
    byId: Records<Session & { summaries: SessionSummary[] }>["byId"];
  };
  numberedSession(id: number): Awaitable<NumberedSession | undefined>;
  /** Existing observations in the order of the ids; of one project when it is given. */
  observationsOf(request: {
    ids: readonly number[];
    project?: string | undefined;
  }): Awaitable<Parsed<Observation>[]>;
  search(query: SearchQuery): Awaitable<SearchResults>;
  topic(topic: Topic, request: TopicRequest): Awaitable<SearchResults>;
  timeline(request: TimelineRequest): Awaitable<TimelineItem[]>;
  byFile(request: FileTimelineRequest): Awaitable<{ observations: FileObservation[]; total: number }>;
  recent(request: { project?: string | undefined; limit: number }): Awaitable<{
    summaries: Parsed<SessionSummary>[];
    observations: Parsed<Observation>[];
  }>;
  /** The context text of the projects; empty without records. */
  inject(request: { projects: string[]; colors: boolean }): Awaitable<string>;
  stats(): Awaitable<Stats>;
  projects(): Awaitable<string[]>;
  /** Epoch milliseconds. */
  now(): number;
  port(): number;
}

interface RouteOf<Input, Answer> {
  summary: string;
  /** The query of a GET, the body of a POST. */
  input: z.ZodType<Input>;
  answer: z.ZodType<Answer>;
}

type Answering<Input, Answer> = (ports: ApiPorts, input: Input) => Awaitable<Answer>;

/** A `GET` route that reads by its query. */
export function getRoute<Input, Answer>(
  app: App,
  { service, url }: { service: ApiService; url: string },
  { summary, input, answer }: RouteOf<Input, Answer>,
  answering: Answering<Input, Answer>,
): void {
  route(app, `GET ${url}`, {
    ...service.access.read,
    summary,
    querystring: input,
    response: { 200: answer, ...service.errors.read },
    handler: async (request) => answering(service.portsFor(request), request.query as Input),
  });
}

/** A `POST` route that reads, or writes, by its body. */
export function postRoute<Input, Answer>(
  app: App,
  { service, url, access }: { service: ApiService; url: string; access: "read" | "write" },
  { summary, input, answer }: RouteOf<Input, Answer>,
  answering: Answering<Input, Answer>,
): void {
  route(app, `POST ${url}`, {
    ...service.access[access],
    summary,
    body: input,
    response: { 200: answer, ...service.errors.write },
    handler: async (request) => answering(service.portsFor(request), request.body as Input),
  });
}
