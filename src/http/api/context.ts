// Context: the newest records of a project, and the text a host injects into its agent's context.
import type * as z from "zod";
import type { Explain } from "../../context/explain.ts";
import { terminalText } from "../../text/terminal-text.ts";
import { route } from "../plugins/route.ts";
import type { App } from "../plugins/zod.ts";
import { injectAnswer, recentAnswer, recentQuery } from "../schemas/context.ts";
import { readErrors, writeErrors } from "../schemas/error.ts";
import { contextExplanation, explainQuery } from "../schemas/explain.ts";
import { type ApiService, getRoute } from "./service.ts";

type InjectQuery = z.ZodType<{ projects: string[]; colors: boolean }>;

/** Differences of the services: whether a project is required, and what a preview adds. */
export interface ContextOptions {
  injectQuery: InjectQuery;
  previewQuery: InjectQuery;
  /** Lines that name unknown projects to a person; a host gets none. */
  unknownProjects(projects: readonly string[]): string[];
}

/** `/api/context/recent`, `/api/context/inject`, `/api/context/preview`. */
export function contextRoutes(app: App, service: ApiService, options: ContextOptions): void {
  getRoute(
    app,
    { service, url: "/api/context/recent" },
    {
      summary: "The newest summaries and observations, of one project when it is given.",
      input: recentQuery,
      answer: recentAnswer,
    },
    (ports, query) => ports.recent(query),
  );
  const response = {
    200: { content: { "text/plain": { schema: injectAnswer } } },
    ...service.errors.read,
  };
  route(app, "GET /api/context/inject", {
    ...service.access.read,
    summary:
      "The context text of one or more projects: as much as the context settings ask for, within the token budget only if one is set.",
    querystring: options.injectQuery,
    response,
    handler: async (request, reply) => {
      const text = await service.portsFor(request).inject(request.query);
      return reply.type("text/plain; charset=utf-8").send(text);
    },
  });
  route(app, "GET /api/context/preview", {
    ...service.access.read,
    summary:
      "The context text of one or more projects for a terminal, with ANSI colours unless `colors` is false.",
    querystring: options.previewQuery,
    response,
    handler: async (request, reply) => {
      const { projects, colors } = request.query;
      const coloured = await service.portsFor(request).inject({ projects, colors: true });
      const text = colors ? coloured : terminalText(coloured);
      const lines = options.unknownProjects(projects).map((sentence) => `${sentence}\n`);
      return reply.type("text/plain; charset=utf-8").send([text, ...lines].join(""));
    },
  });
}

/** `GET /api/context/explain`, and `POST` for a prompt that is too long for a URL. */
export function explainRoutes(app: App, explain: Explain): void {
  route(app, "GET /api/context/explain", {
    summary:
      "The context an agent gets at session start, with a prompt, before a file or a command, and why.",
    querystring: explainQuery,
    response: { 200: contextExplanation, ...readErrors },
    handler: ({ query }) => explain(query),
  });
  route(app, "POST /api/context/explain", {
    summary: "The same with its parameters in the body, for a prompt that is too long for a URL.",
    body: explainQuery,
    response: { 200: contextExplanation, ...writeErrors },
    handler: ({ body }) => explain(body),
  });
}
