// The switch of recall over MCP for the installed hosts.
import type { App } from "../plugins/zod.ts";
import { errorBody, readErrors, writeErrors } from "../schemas/error.ts";
import { mcpStatus, mcpToggleBody, mcpToggled } from "../schemas/mcp.ts";

/** What is asked of the hosts' configuration. */
export interface McpPorts {
  /** True when every installed host has the server; without any, when the next one is to have it. */
  enabled(): boolean;
  /** Registers the server with every installed host, or removes it; without any, `mem install` does it. */
  toggle(enabled: boolean): void;
}

/** `GET /api/mcp/status`, `POST /api/mcp/toggle`. */
export function mcpRoutes(app: App, ports: McpPorts): void {
  app.get(
    "/api/mcp/status",
    {
      schema: {
        summary: "Whether the installed hosts have recall over MCP.",
        response: { 200: mcpStatus, ...readErrors, 409: errorBody },
      },
    },
    () => ({ enabled: ports.enabled() }),
  );
  app.post(
    "/api/mcp/toggle",
    {
      schema: {
        summary: "Give the installed hosts recall over MCP, or take it from them.",
        body: mcpToggleBody,
        response: { 200: mcpToggled, ...writeErrors, 409: errorBody },
      },
    },
    ({ body: { enabled } }) => {
      ports.toggle(enabled);
      return { success: true as const, enabled };
    },
  );
}
