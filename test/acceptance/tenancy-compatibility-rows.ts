// The rows of the matrix for the older routes: they name projects by their labels, records by their numbers.
import { newId } from "../../src/core/ids.ts";
import type { Row, Slot } from "./tenancy-model.ts";
import { everyonesSession, filePath, lure, type Noun } from "./tenancy-world.ts";

const open: Row = { access: "none" };
const number = (noun: Noun, name: string): Slot => ({ at: "path", name, noun, malformed: 400 });

/** A label is a project's name or its id. One that is out of reach is read like one that holds nothing. */
const labels = (at: "query" | "body", more: Partial<Slot> = {}): Slot[] =>
  (["label", "project"] as const).map((noun) => ({
    at,
    name: "project",
    noun,
    out: 200,
    absent: 200,
    ...more,
  }));
const read = (query?: () => Record<string, unknown>): Row => ({
  access: "read",
  ...(query === undefined ? {} : { query }),
  slots: labels("query"),
});

// Where it is written the label must be right. A session's name says the project too, to a key of the team.
const written = (body: () => Record<string, unknown>): Row => ({
  access: "write",
  body: () => ({ claudeSessionId: everyonesSession, ...body() }),
  slots: [
    ...labels("body", { out: 400, absent: 400 }),
    {
      at: "body",
      name: "claudeSessionId",
      noun: "sessionName",
      out: 400,
      teamKeys: true,
      without: ["project"],
    },
  ],
});
const toolUse = () => ({ tool_name: "Bash", tool_input: { command: "ls" }, tool_response: { out: "a" } });
const numbered = (access: "read" | "write", body?: () => Record<string, unknown>): Row => ({
  access,
  ...(body === undefined ? {} : { body }),
  slots: [number("sessionNumber", "sessionDbId")],
});
// The text to be injected is always of projects that are named.
const list = (name: string): Slot[] =>
  labels("query", { name, without: name === "project" ? [] : ["project"] }).map(
    ({ absent: _, ...slot }) => slot,
  );
const anchor = (prefix: string, noun: Noun): Slot => ({
  at: "query",
  name: "anchor",
  noun,
  malformed: 400,
  without: ["query", "project"],
  write: (id) => `${prefix}${id}`,
});

export const compatibilityRows: Readonly<Record<string, Row>> = {
  "GET /api/health": open,
  "GET /api/readiness": open,
  "GET /api/version": open,
  "POST /api/sessions/observations": { ...written(toolUse), stores: true },
  "POST /api/sessions/summarize": written(() => ({ last_assistant_message: "done" })),
  "POST /api/sessions/init": written(() => ({ prompt: `begin ${newId()}` })),
  // Which project it is in is said by the session alone.
  "POST /api/sessions/complete": {
    access: "write",
    slots: [{ at: "body", name: "claudeSessionId", noun: "sessionName", out: 400, teamKeys: true }],
  },
  "POST /sessions/:sessionDbId/init": numbered("write", () => ({ userPrompt: `again ${newId()}` })),
  "POST /sessions/:sessionDbId/complete": numbered("write"),
  "POST /sessions/:sessionDbId/observations": numbered("write", toolUse),
  "POST /sessions/:sessionDbId/summarize": numbered("write", () => ({ last_assistant_message: "done" })),
  "GET /sessions/:sessionDbId/status": numbered("read"),
  "GET /sessions": read(),
  "GET /api/observations": read(),
  "GET /api/summaries": read(),
  "GET /api/prompts": read(),
  "GET /api/observation/:id": { access: "read", slots: [number("observationNumber", "id")] },
  "GET /api/summary/:id": { access: "read", slots: [number("summaryNumber", "id")] },
  "GET /api/prompt/:id": { access: "read", slots: [number("promptNumber", "id")] },
  "GET /api/session/:id": { access: "read", slots: [number("sessionNumber", "id")] },
  "GET /api/stats": { access: "read", counts: (body) => JSON.parse(body).database },
  "GET /api/projects": { access: "read" },
  "GET /api/processing-status": { access: "read" },
  "GET /api/settings": { access: "read" },
  "GET /api/mcp/status": { access: "read" },
  "GET /api/branch/status": { access: "read" },
  "GET /api/sync/status": { access: "read" },
  // Words are looked for in one project.
  "GET /api/search": {
    access: "read",
    query: () => ({ query: lure }),
    slots: labels("query", { absent: 400 }),
  },
  "POST /api/search": {
    access: "read",
    body: () => ({ query: lure }),
    slots: labels("body", { absent: 400 }),
  },
  "GET /api/decisions": read(),
  "GET /api/changes": read(),
  "GET /api/how-it-works": read(),
  "GET /api/search/by-concept": read(() => ({ concept: "how-it-works" })),
  "GET /api/search/by-file": read(() => ({ filePath })),
  "GET /api/search/by-type": read(() => ({ type: "decision" })),
  "GET /api/timeline": {
    access: "read",
    query: () => ({ query: lure }),
    slots: [
      ...labels("query", { out: 404, absent: 400 }),
      anchor("", "observationNumber"),
      anchor("S", "summaryNumber"),
      anchor("P", "promptNumber"),
    ],
  },
  "GET /api/observations/by-file": {
    access: "read",
    query: () => ({ path: filePath }),
    counts: (body) => ({ observations: JSON.parse(body).total }),
    slots: [...labels("query"), ...labels("query", { name: "projects", without: ["project"] })],
  },
  "POST /api/observations/batch": {
    access: "read",
    body: () => ({ ids: [1] }),
    slots: [
      {
        at: "body",
        name: "ids",
        noun: "observationNumber",
        out: 200,
        malformed: 400,
        without: ["project"],
        write: (id) => [/^\d+$/.test(id) ? Number(id) : id],
      },
      ...labels("body"),
    ],
  },
  "GET /api/context/recent": read(),
  "GET /api/context/inject": { access: "read", slots: [...list("project"), ...list("projects")] },
  "GET /api/context/preview": { access: "read", slots: [...list("project"), ...list("projects")] },
};
