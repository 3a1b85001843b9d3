// Wire shapes of settings and of the MCP switch.
import * as z from "zod";

/** Answer of `GET /api/settings`: the viewer's state and every configuration setting by its name, keys included. */
export const settingsAnswer = z.lazy(() => z.looseObject(viewerFields()));

/** Body of `POST /api/settings`: the viewer's state and nothing else. */
export const settingsBody = z.lazy(() =>
  z.strictObject({
    sidebarOpen: z.boolean().optional(),
    selectedProject: z.string().max(4096).nullable().optional(),
  }),
);

/** Answer of `POST /api/settings`. */
export const settingsSaved = z.lazy(() => z.object({ success: z.literal(true) }));

/** `settingsBody` as the handler gets it. */
export type ViewerChange = z.output<typeof settingsBody>;

/** The viewer's stored state. */
export interface ViewerState {
  sidebarOpen: boolean;
  selectedProject: string | null;
}

function viewerFields() {
  return { sidebarOpen: z.boolean(), selectedProject: z.string().nullable() };
}

/** Answer of `GET /api/settings/list`. `value` of a secret is `set` or empty; `command` changes the setting. */
export const settingsList = z.lazy(() =>
  z.object({
    settings: z.array(
      z.object({
        name: z.string(),
        value: z.string(),
        origin: z.enum(["default", "file", "environment"]),
        default: z.string(),
        meaning: z.string(),
        accepts: z.string(),
        /** When a change is seen: at the next tool use, or by the next worker. */
        effect: z.enum(["live", "restart"]),
        isSecret: z.boolean(),
        command: z.string(),
      }),
    ),
  }),
);

/** `settingsList`, inferred. */
export type SettingsList = z.output<typeof settingsList>;

/** Answer of `GET /api/mcp/status`. */
export const mcpStatus = z.lazy(() => z.object({ enabled: z.boolean() }));

/** Body of `POST /api/mcp/toggle`. */
export const mcpToggleBody = z.lazy(() =>
  z.object({ enabled: z.boolean({ error: "must be true or false" }) }),
);

/** Answer of `POST /api/mcp/toggle`. */
export const mcpToggled = z.lazy(() => z.object({ success: z.literal(true), enabled: z.boolean() }));
