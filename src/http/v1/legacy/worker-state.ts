// The worker's status routes that its older integrations poll: the key's own queue, and fixed answers for what a server has
// once for all teams or not at all.
import * as z from "zod";
import type { App } from "../../plugins/zod.ts";
import { mcpStatus } from "../../schemas/mcp.ts";
import { settingsAnswer } from "../../schemas/settings.ts";
import { keyedErrors } from "../../schemas/v1-errors.ts";
import { callerOf } from "../authentication.ts";
import type { LegacyPorts } from "./ports.ts";
import { reads } from "./reads.ts";

/** `/api/processing-status`, `/api/settings`, `/api/mcp/status`, `/api/branch/status`, `/api/sync/status`. */
export function legacyWorkerStateRoutes(app: App, { queue }: Pick<LegacyPorts, "queue">): void {
  app.get(
    "/api/processing-status",
    {
      config: reads,
      schema: {
        summary: "Older: the generation jobs of what the key reaches.",
        response: { 200: processingStatus, ...keyedErrors },
      },
    },
    async (request) => {
      const { team_id, project_id } = callerOf(request);
      const counts = await queue({ team_id, project_id });
      const queueDepth = counts.pending + counts.processing;
      return { isProcessing: counts.processing > 0, queueDepth, ...counts };
    },
  );
  for (const { url, summary, schema, answer } of fixed) {
    app.get(
      url,
      { config: reads, schema: { summary, response: { 200: schema, ...keyedErrors } } },
      async () => answer,
    );
  }
}

const processingStatus = z.object({
  isProcessing: z.boolean(),
  queueDepth: z.int(),
  pending: z.int(),
  processing: z.int(),
  dead: z.int(),
  oldestPendingAgeMs: z.number().nullable(),
});

const branchStatus = z.object({
  current: z.null(),
  remote: z.null(),
  ahead: z.literal(0),
  behind: z.literal(0),
});

const fixed: readonly { url: string; summary: string; schema: z.ZodType; answer: object }[] = [
  {
    url: "/api/settings",
    summary: "Older: the viewer's defaults. Settings of the server are shown to no key.",
    schema: settingsAnswer,
    answer: { sidebarOpen: true, selectedProject: null },
  },
  {
    url: "/api/mcp/status",
    summary: "Older: recall over MCP is always on, at POST /v1/mcp.",
    schema: mcpStatus,
    answer: { enabled: true },
  },
  {
    url: "/api/branch/status",
    summary: "Older: a server has no branch of its own to update.",
    schema: branchStatus,
    answer: { current: null, remote: null, ahead: 0, behind: 0 },
  },
  {
    url: "/api/sync/status",
    summary: "Older: a server syncs with no hub.",
    schema: z.object({ configured: z.literal(false) }),
    answer: { configured: false },
  },
];
