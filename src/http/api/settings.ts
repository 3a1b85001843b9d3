// Settings over HTTP (only the viewer's own state can be written), and the MCP switch of the hosts with mem.
import { MemError } from "../../core/errors.ts";
import { isJsonObject } from "../../text/json.ts";
import { route } from "../plugins/route.ts";
import type { App } from "../plugins/zod.ts";
import { errorBody, readErrors, writeErrors } from "../schemas/error.ts";
import {
  mcpStatus,
  mcpToggleBody,
  mcpToggled,
  type SettingsList,
  settingsAnswer,
  settingsBody,
  settingsList,
  settingsSaved,
  type ViewerChange,
  type ViewerState,
} from "../schemas/settings.ts";

/** The viewer's own state, and the configuration to show. */
export interface SettingsPorts {
  viewer: { get(): ViewerState; set(change: ViewerChange): void | Promise<void> };
  /** Every configuration setting by its name, as it is in effect; keys and the TV token in clear. */
  settings(): Readonly<Record<string, string>>;
  /** Every configuration setting with its origin and meaning, without any secret. */
  list(): SettingsList["settings"];
}

/** `GET` and `POST /api/settings`, `GET /api/settings/list`. */
export function settingsRoutes(app: App, { viewer, settings, list }: SettingsPorts): void {
  route(app, "GET /api/settings", {
    summary: "The viewer's state and every configuration setting, keys included.",
    response: { 200: settingsAnswer, ...readErrors },
    handler: (_request, reply) => {
      reply.header("cache-control", "no-store");
      return { ...settings(), ...viewer.get() };
    },
  });
  route(app, "GET /api/settings/list", {
    summary:
      "Every setting with its origin, its meaning and the command that changes it; secrets are masked.",
    response: { 200: settingsList, ...readErrors },
    handler: (_request, reply) => {
      reply.header("cache-control", "no-store");
      return { settings: list() };
    },
  });
  route(app, "POST /api/settings", {
    summary: "Save the viewer's state; configuration is changed by `mem settings set`.",
    body: settingsBody,
    response: { 200: settingsSaved, ...writeErrors },
    preValidation: (request, _reply, done) => done(refusedSetting(request.body)),
    handler: async ({ body }) => {
      await viewer.set(body);
      return { success: true as const };
    },
  });
}

const writable = new Set(["sidebarOpen", "selectedProject"]);

// A page that could write a base URL, a program's path or a directory here would own keys and machine.
function refusedSetting(body: unknown): MemError | undefined {
  if (!isJsonObject(body) || Object.keys(body).every((name) => writable.has(name))) return undefined;
  return new MemError("invalid_request", {
    message: "Only sidebarOpen and selectedProject can be set over HTTP.",
    hint: "Change configuration on the command line: `mem settings set <name> <value>`.",
  });
}

/** Registration of the MCP server in the configuration of the hosts with mem. */
export interface McpPorts {
  /** True when every host with mem has the server; without hosts, whether the next install adds it. */
  enabled(): boolean;
  /** Adds or removes the server in every host with mem; without hosts, `mem install` does it. */
  toggle(enabled: boolean): void;
}

/** `GET /api/mcp/status`, `POST /api/mcp/toggle`. */
export function mcpRoutes(app: App, ports: McpPorts): void {
  route(app, "GET /api/mcp/status", {
    summary: "Whether the hosts with mem have recall over MCP.",
    response: { 200: mcpStatus, ...readErrors, 409: errorBody },
    handler: () => ({ enabled: ports.enabled() }),
  });
  route(app, "POST /api/mcp/toggle", {
    summary: "Turn recall over MCP on or off for the hosts with mem.",
    body: mcpToggleBody,
    response: { 200: mcpToggled, ...writeErrors, 409: errorBody },
    handler: ({ body: { enabled } }) => {
      ports.toggle(enabled);
      return { success: true as const, enabled };
    },
  });
}
