// Wire shapes of the switch of recall over MCP.
import * as z from "zod";

/** Answer of `GET /api/mcp/status`. */
export const mcpStatus = z.lazy(() => z.object({ enabled: z.boolean() }));

/** Body of `POST /api/mcp/toggle`. */
export const mcpToggleBody = z.lazy(() =>
  z.object({ enabled: z.boolean({ error: "must be true or false" }) }),
);

/** Answer of `POST /api/mcp/toggle`. */
export const mcpToggled = z.lazy(() => z.object({ success: z.literal(true), enabled: z.boolean() }));
