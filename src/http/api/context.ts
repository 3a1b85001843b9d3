// Context: the newest records of a project, and the text a host puts into its agent's context.

import { noSuchProject } from "../../core/records/known-names.ts";
import type { Observation, Parsed, SessionSummary } from "../../core/records/records.ts";
import { terminalText } from "../../text/terminal-text.ts";
import type { App } from "../plugins/zod.ts";
import { injectAnswer, injectQuery, previewQuery, recentAnswer, recentQuery } from "../schemas/context.ts";
import { readErrors } from "../schemas/error.ts";

/** What was done last, and the text made of it. */
export interface ContextPorts {
  recent(request: { project?: string | undefined; limit: number }): {
    summaries: Parsed<SessionSummary>[];
    observations: Parsed<Observation>[];
  };
  inject(request: { projects: string[]; colors: boolean }): string | Promise<string>;
}

/** `/api/context/recent`, `/api/context/inject`, `/api/context/preview`. */
export function contextRoutes(app: App, ports: ContextPorts, projects: () => string[]): void {
  app.get(
    "/api/context/recent",
    {
      schema: {
        summary: "The newest summaries and observations, of one project when it is given.",
        querystring: recentQuery,
        response: { 200: recentAnswer, ...readErrors },
      },
    },
    ({ query }) => ports.recent(query),
  );
  app.get(
    "/api/context/inject",
    {
      schema: {
        summary: "The context text of one or more projects.",
        querystring: injectQuery,
        response: { 200: { content: { "text/plain": { schema: injectAnswer } } }, ...readErrors },
      },
    },
    async ({ query }, reply) => {
      const text = await ports.inject(query);
      return reply.type("text/plain; charset=utf-8").send(text);
    },
  );
  app.get(
    "/api/context/preview",
    {
      schema: {
        summary:
          "The context text of one or more projects for a terminal, with ANSI colours unless `colors` is false.",
        querystring: previewQuery,
        response: { 200: { content: { "text/plain": { schema: injectAnswer } } }, ...readErrors },
      },
    },
    async ({ query }, reply) => {
      const coloured = await ports.inject({ ...query, colors: true });
      const text = query.colors ? coloured : terminalText(coloured);
      // A host is told nothing where there is nothing; a person is told why.
      const known = projects();
      const unknown = query.projects.flatMap((project) => noSuchProject(project, known) ?? []);
      const lines = unknown.map((sentence) => `${sentence}\n`);
      return reply.type("text/plain; charset=utf-8").send([text, ...lines].join(""));
    },
  );
}
