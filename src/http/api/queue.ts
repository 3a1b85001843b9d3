// The queue over HTTP: list unfinished messages, retry, drop.
import type { QueueDropped, QueuedMessage, QueueRetried, QueueSelection } from "../../core/records/queue.ts";
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
  app.get(
    "/api/queue",
    {
      schema: {
        summary: "A page of unfinished messages, oldest first.",
        querystring: queueQuery,
        response: { 200: queuePage, ...readErrors },
      },
    },
    ({ query }) => {
      const { items, total } = queue.page(query);
      const { offset, limit } = query;
      return { items, total, hasMore: offset + items.length < total, offset, limit };
    },
  );
  app.post(
    "/api/queue/retry",
    {
      schema: {
        summary: "Retry failed messages now, with all attempts.",
        body: retryBody,
        response: { 200: retryAnswer, ...writeErrors },
      },
    },
    ({ body }) => queue.retry(body),
  );
  app.post(
    "/api/queue/drop",
    {
      schema: {
        summary: "Drop messages from the queue.",
        body: dropBody,
        response: { 200: dropAnswer, ...writeErrors },
      },
    },
    ({ body }) => queue.drop(body),
  );
}
