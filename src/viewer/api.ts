// Typed requests to the worker. Every failure is an `ApiFault`.
import type { branchStatus, branchUpdated } from "../http/schemas/branch.ts";
import type { costAnswer } from "../http/schemas/cost.ts";
import type { syncStatus } from "../http/schemas/device-sync.ts";
import type { contextExplanation } from "../http/schemas/explain.ts";
import type { dropAnswer, queuePage, retryAnswer } from "../http/schemas/queue.ts";
import type { batchAnswer } from "../http/schemas/recall.ts";
import type { observation, observationPage, prompt, promptPage, summary } from "../http/schemas/records.ts";
import type { acceptedRule, remembered, rulesAnswer } from "../http/schemas/review.ts";
import type { searchAnswer } from "../http/schemas/search.ts";
import type { sessionPage, sessionWithSummaries } from "../http/schemas/session.ts";
import type { mcpStatus, settingsAnswer, settingsList, settingsSaved } from "../http/schemas/settings.ts";
import type { health, processingStatus, projectList, repairState, stats } from "../http/schemas/status.ts";
import type { timelineAnswer } from "../http/schemas/timeline.ts";
import type { deletedRecord, restoredRecord, trashPage } from "../http/schemas/trash.ts";
import type {
  activity,
  feed,
  observationDetails,
  openWork,
  sessionInjections,
  sessionRecords,
} from "../http/schemas/views.ts";
import type { Json } from "../text/json.ts";
import { ApiFault, isAborted, refusalOf } from "./faults.ts";

/** What a schema of the API answers. */
export type Answer<S extends { _zod: { output: unknown } }> = S["_zod"]["output"];

/** Answers of the routes that read, by path. A page that reads another route adds it here. */
export interface Reads {
  "/api/activity": Answer<typeof activity>;
  "/api/branch/status": Answer<typeof branchStatus>;
  "/api/cost": Answer<typeof costAnswer>;
  "/api/feed": Answer<typeof feed>;
  "/api/health": Answer<typeof health>;
  "/api/maintenance/repair": Answer<typeof repairState>;
  "/api/mcp/status": Answer<typeof mcpStatus>;
  "/api/observations": Answer<typeof observationPage>;
  "/api/processing-status": Answer<typeof processingStatus>;
  "/api/open-work": Answer<typeof openWork>;
  "/api/projects": Answer<typeof projectList>;
  "/api/prompts": Answer<typeof promptPage>;
  "/api/queue": Answer<typeof queuePage>;
  "/api/rules": Answer<typeof rulesAnswer>;
  "/api/search": Answer<typeof searchAnswer>;
  "/api/settings": Answer<typeof settingsAnswer>;
  "/api/settings/list": Answer<typeof settingsList>;
  "/api/stats": Answer<typeof stats>;
  "/api/sync/status": Answer<typeof syncStatus>;
  "/api/timeline": Answer<typeof timelineAnswer>;
  "/api/trash": Answer<typeof trashPage>;
  "/sessions": Answer<typeof sessionPage>;
  [path: `/api/observations/${number}/details`]: Answer<typeof observationDetails>;
  [path: `/api/observation/${number}`]: Answer<typeof observation>;
  [path: `/api/summary/${number}`]: Answer<typeof summary>;
  [path: `/api/prompt/${number}`]: Answer<typeof prompt>;
  [path: `/api/session/${number}`]: Answer<typeof sessionWithSummaries>;
  [path: `/api/sessions/${number}/injections`]: SessionInjections;
  [path: `/api/sessions/${number}/records`]: Answer<typeof sessionRecords>;
}

type SessionInjections = Answer<typeof sessionInjections>;
/** A text that was injected into a session. */
export type Injection = SessionInjections["items"][number];
/** A record of a session. */
export type SessionRecord = Answer<typeof sessionRecords>["items"][number];

/** Answers of the routes that read with parameters in the body, for texts that are too long for an address. */
export interface Asks {
  "/api/context/explain": Answer<typeof contextExplanation>;
  "/api/observations/batch": Answer<typeof batchAnswer>;
}

/** Answers of the routes that change something, by path. */
export interface Posts {
  "/api/branch/update": Answer<typeof branchUpdated>;
  "/api/queue/drop": Answer<typeof dropAnswer>;
  "/api/queue/retry": Answer<typeof retryAnswer>;
  "/api/rules": Answer<typeof remembered>;
  "/api/settings": Answer<typeof settingsSaved>;
  [path: `/api/rules/${number}/accept`]: Answer<typeof acceptedRule>;
  [path: `/api/observations/${number}/${"text" | "status" | "pin"}`]: Answer<typeof observation>;
  [path: `/api/trash/${number}/restore`]: Answer<typeof restoredRecord>;
}

/** Routes of one record that `PATCH` and `DELETE` take. */
export type RecordPath = `/api/${"observations" | "summaries" | "prompts" | "sessions"}/${number}`;

/** Parameters of a query; those that are undefined or empty are left out. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export type Api = ReturnType<typeof createApi>;

/** Requests to the worker that served this page. A `signal` aborts one when its page is left. */
export function createApi() {
  return {
    get: <P extends keyof Reads>(path: P, query: Query = {}, signal?: AbortSignal): Promise<Reads[P]> =>
      request(withQuery(path, query), signal === undefined ? {} : { signal }) as Promise<Reads[P]>,
    ask: <P extends keyof Asks>(path: P, body: Json, signal: AbortSignal): Promise<Asks[P]> =>
      request(path, { ...withBody("POST", body), signal }) as Promise<Asks[P]>,
    post: <P extends keyof Posts>(path: P, body: Json): Promise<Posts[P]> =>
      request(path, withBody("POST", body)) as Promise<Posts[P]>,
    patch: (path: RecordPath, body: Json) => request(path, withBody("PATCH", body)),
    delete: (path: RecordPath) =>
      request(path, { method: "DELETE" }) as Promise<Answer<typeof deletedRecord>>,
  };
}

async function request(path: string, options: RequestInit): Promise<unknown> {
  let answer: Response;
  try {
    answer = await fetch(path, { ...options, headers: { accept: "application/json", ...options.headers } });
  } catch (error) {
    if (isAborted(error)) throw error;
    throw new ApiFault("unreachable", "The worker does not answer.", "Start it: `mem worker start`.", error);
  }
  const text = await answer.text();
  const body = parseBody(text);
  if (answer.ok) return body;
  throw refusalOf(answer.status, body);
}

// A text answer, such as the context preview, is no JSON.
function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function withBody(method: string, body: Json): RequestInit {
  return { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

function withQuery(path: string, query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    const text = Array.isArray(value) ? value.join(",") : String(value ?? "");
    if (text !== "") parameters.set(name, text);
  }
  return parameters.size === 0 ? path : `${path}?${parameters}`;
}
