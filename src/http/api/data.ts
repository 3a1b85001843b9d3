// Data retrieval: pages of what is stored, one record by its id, counts, projects.
import type { Observation, Session, SessionSummary, UserPrompt } from "../../core/records/records.ts";
import type { App } from "../plugins/zod.ts";
import { readErrors } from "../schemas/error.ts";
import { observation, observationPage } from "../schemas/observation.ts";
import { prompt, promptPage } from "../schemas/prompt.ts";
import { sessionWithSummaries } from "../schemas/session.ts";
import { projectList, type Stats, stats } from "../schemas/status.ts";
import { summaryPage } from "../schemas/summary.ts";
import { byIdRoute, type Paged, pageRoute, type Records } from "./records.ts";

/** What is stored, to be read. */
export interface DataPorts {
  observations: Records<Observation>;
  summaries: Paged<SessionSummary> & { ofSession(sdkSessionId: string): SessionSummary[] };
  prompts: Records<UserPrompt>;
  sessions: { byId(id: number): Session | undefined };
  stats(): Stats;
  projects(): string[];
}

/** `/api/observations|summaries|prompts`, `/api/observation|session|prompt/:id`, `/api/stats`, `/api/projects`. */
export function dataRoutes(app: App, ports: DataPorts): void {
  pageRoute(app, "/api/observations", {
    summary: "A page of observations, newest first.",
    page: observationPage,
    records: ports.observations,
  });
  pageRoute(app, "/api/summaries", {
    summary: "A page of session summaries, newest first.",
    page: summaryPage,
    records: ports.summaries,
  });
  pageRoute(app, "/api/prompts", {
    summary: "A page of user prompts, newest first.",
    page: promptPage,
    records: ports.prompts,
  });
  byIdRoute(app, "/api/observation/:id", {
    summary: "One observation.",
    noun: "observation",
    record: observation,
    records: ports.observations,
  });
  byIdRoute(app, "/api/session/:id", {
    summary: "One session with its summaries.",
    noun: "session",
    record: sessionWithSummaries,
    records: { byId: (id) => withSummaries(ports, id) },
  });
  byIdRoute(app, "/api/prompt/:id", {
    summary: "One user prompt.",
    noun: "prompt",
    record: prompt,
    records: ports.prompts,
  });
  app.get(
    "/api/stats",
    {
      schema: { summary: "Counts of the worker and its database.", response: { 200: stats, ...readErrors } },
    },
    () => ports.stats(),
  );
  app.get(
    "/api/projects",
    { schema: { summary: "Every project's label.", response: { 200: projectList, ...readErrors } } },
    () => ({ projects: ports.projects() }),
  );
}

function withSummaries({ sessions, summaries }: DataPorts, id: number) {
  const session = sessions.byId(id);
  return session && { ...session, summaries: summaries.ofSession(session.sdk_session_id) };
}
