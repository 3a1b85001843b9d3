// The context routes of the local worker, on the server's store.
import type { FastifyRequest } from "fastify";
import { terminalText } from "../../../text/terminal-text.ts";
import type { App } from "../../plugins/zod.ts";
import {
  injectAnswer,
  keyedInjectQuery,
  keyedPreviewQuery,
  recentAnswer,
  recentQuery,
} from "../../schemas/context.ts";
import { keyedErrors } from "../../schemas/v1-errors.ts";
import { callerOf } from "../authentication.ts";
import type { LegacyPorts } from "./ports.ts";
import { reads, readWithin } from "./reads.ts";

/** `/api/context/recent`, `/api/context/inject`, `/api/context/preview`. */
export function legacyContextRoutes(app: App, ports: LegacyPorts): void {
  app.get(
    "/api/context/recent",
    {
      config: reads,
      schema: {
        summary: "Older: the newest summaries and observations, of one project when it is given.",
        querystring: recentQuery,
        response: { 200: recentAnswer, ...keyedErrors },
      },
    },
    (request) =>
      readWithin(ports, request, {
        project: request.query.project,
        work: async (reach) =>
          reach === null ? { summaries: [], observations: [] } : ports.recent(reach, request.query.limit),
        count: ({ summaries, observations }) => summaries.length + observations.length,
      }),
  );
  const text = { 200: { content: { "text/plain": { schema: injectAnswer } } }, ...keyedErrors };
  app.get(
    "/api/context/inject",
    {
      config: reads,
      schema: {
        summary: "Older: the context text of one or more projects, of the key's own when none is named.",
        querystring: keyedInjectQuery,
        response: text,
      },
    },
    async (request, reply) =>
      reply.type("text/plain; charset=utf-8").send(await injected(ports, request, request.query)),
  );
  app.get(
    "/api/context/preview",
    {
      config: reads,
      schema: {
        summary: "Older: the same for a terminal, with ANSI colours unless `colors` is false.",
        querystring: keyedPreviewQuery,
        response: text,
      },
    },
    async (request, reply) => {
      const coloured = await injected(ports, request, { ...request.query, colors: true });
      const text = request.query.colors ? coloured : terminalText(coloured);
      return reply.type("text/plain; charset=utf-8").send(text);
    },
  );
}

function injected(
  ports: LegacyPorts,
  request: FastifyRequest,
  { projects, colors }: { projects: string[]; colors: boolean },
): Promise<string> {
  const caller = callerOf(request);
  return readWithin(ports, request, {
    async work() {
      const reached =
        projects.length === 0
          ? [await ports.ownProject(caller)]
          : await Promise.all(
              projects.map(async (label) => ({ label, reach: await ports.reach(caller, label) })),
            );
      return ports.inject(reached, { caller, colors });
    },
    count: (answer) => (answer === "" ? 0 : 1),
  });
}
