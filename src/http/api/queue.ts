// The queue over HTTP: list unfinished messages, retry, drop.
import type { QueueDropped, QueuedMessage, QueueRetried, QueueSelection } from "../../core/records/queue.ts";
import { route } from "../plugins/route.ts";
import type { App } from "../plugins/zod.ts";
import { readErrors, writeErrors } from "../schemas/error.ts";
import {
  dropAnswer,
  dropBody,
  type QueueRow,
  queuePage,
  queueQuery,
  retryAnswer,
  retryBody,
} from "../schemas/queue.ts";

/** The queue, to be read and moved. */
export interface QueuePorts {
  page(request: {
    status?: QueuedMessage["status"] | undefined;
    since?: number | undefined;
    offset: number;
    limit: number;
  }): { items: QueueRow[]; total: number };
  retry(selection: QueueSelection): Promise<QueueRetried>;
  drop(selection: QueueSelection): Promise<QueueDropped>;
}

/** `GET /api/queue`, `POST /api/queue/retry` and `/api/queue/drop`. */
export function queueRoutes(app: App, queue: QueuePorts): void {
  route(app, "GET /api/queue", {
    summary: "A page of unfinished messages, oldest first.",
    querystring: queueQuery,
    response: { 200: queuePage, ...readErrors },
    handler: ({ query }) => {
      const { items, total } = queue.page(query);
      const { offset, limit } = query;
      return { items, total, hasMore: offset + items.length < total, offset, limit };
    },
  });
  route(app, "POST /api/queue/retry", {
    summary: "Retry failed messages now, with all attempts.",
    body: retryBody,
    response: { 200: retryAnswer, ...writeErrors },
    handler: ({ body }) => queue.retry(body),
  });
  route(app, "POST /api/queue/drop", {
    summary: "Drop messages from the queue.",
    body: dropBody,
    response: { 200: dropAnswer, ...writeErrors },
    handler: ({ body }) => queue.drop(body),
  });
}
