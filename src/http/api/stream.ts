// `GET /stream`: the worker's events, live, as Server-Sent Events.
import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Clock } from "../../core/clock.ts";
import { MemError } from "../../core/errors.ts";
import type { ProcessingStatus, StreamEvent } from "../../core/records/events.ts";
import { route } from "../plugins/route.ts";
import { createSseClients, type SseOptions } from "../plugins/sse.ts";
import type { App } from "../plugins/zod.ts";
import { readErrors } from "../schemas/error.ts";
import { streamEvent, streamQuery } from "../schemas/stream.ts";

/** First message to a new client: projects and queue. */
export type StreamSnapshot = ProcessingStatus & { projects: string[] };

/** The open streams, as the worker's bus and the route see them. */
export type StreamHub = ReturnType<typeof createStreamHub>;

interface HubDeps {
  clock: Clock;
  snapshot(): StreamSnapshot;
  /** The present label of a project that may have been renamed. */
  projectNamed(label: string): string;
  limits?: SseOptions;
}

/**
 * The clients of the stream. `initial_load` goes to all on a new connection, but at most once a second. A client with a
 * project gets its events, after a rename too, and events without a project.
 */
export function createStreamHub(deps: HubDeps) {
  const { clock, snapshot, projectNamed } = deps;
  const clients = createSseClients(deps.limits);
  let lastLoadMs = Number.NEGATIVE_INFINITY;
  let waiting: NodeJS.Timeout | undefined;

  let closing = false;

  function initialLoad(): StreamEvent {
    return { type: "initial_load", ...snapshot() };
  }

  function tellOthers(newcomer: ServerResponse, event: StreamEvent): void {
    if (waiting !== undefined) return;
    const waitMs = lastLoadMs + initialLoadEveryMs - clock.monotonicMs();
    if (waitMs <= 0) {
      lastLoadMs = clock.monotonicMs();
      clients.broadcast(event, (_topic, client) => client !== newcomer);
      return;
    }
    waiting = setTimeout(() => {
      waiting = undefined;
      lastLoadMs = clock.monotonicMs();
      clients.broadcast(initialLoad(), toAll);
    }, waitMs).unref();
  }

  function assertRoom(): void {
    if (closing) throw new MemError("shutting_down");
    if (clients.isFull()) throw new MemError("stream_full");
  }

  return {
    /** One event to every client that it concerns. */
    publish(event: StreamEvent) {
      const project = projectOf(event);
      const wants = (topic: string | undefined) => topic === undefined || projectNamed(topic) === project;
      clients.broadcast(event, project === undefined ? toAll : wants);
    },
    /** Throws `stream_full` when too many streams are open, `shutting_down` after `closeAll`. */
    assertRoom,
    /** Starts a stream on `response`, which the caller stops writing to. */
    connect(response: ServerResponse, headers: OutgoingHttpHeaders, project?: string) {
      assertRoom();
      const { projects, ...processing } = snapshot();
      const load: StreamEvent = { type: "initial_load", projects, ...processing };
      clients.open(response, headers, project);
      clients.send(response, load);
      clients.send(response, { type: "processing_status", ...processing } satisfies StreamEvent);
      tellOthers(response, load);
    },
    clientCount: () => clients.size(),
    /** Ends every stream and takes no more. */
    closeAll() {
      closing = true;
      clearTimeout(waiting);
      waiting = undefined;
      clients.closeAll();
    },
  };
}

/** `GET /stream`. */
export function streamRoutes(app: App, hub: StreamHub): void {
  route(app, "GET /stream", {
    summary: "The worker's events, live; with a project only its events and those without one.",
    querystring: streamQuery,
    response: { 200: { content: { "text/event-stream": { schema: streamEvent } } }, ...readErrors },
    handler: ({ query }, reply) => {
      hub.assertRoom();
      const headers: OutgoingHttpHeaders = {};
      for (const [name, value] of Object.entries(reply.getHeaders())) headers[name] = value ?? "";
      reply.hijack();
      hub.connect(reply.raw, headers, query.project);
    },
  });
}

// Otherwise a client that reconnects in a loop makes all others reload each time.
const initialLoadEveryMs = 1000;

const toAll = () => true;

function projectOf(event: StreamEvent): string | undefined {
  if ("project" in event) return event.project;
  if ("observation" in event) return event.observation.project;
  return "summary" in event ? event.summary.project : undefined;
}
