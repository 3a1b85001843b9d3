// Checks of what mem has registered or written elsewhere: MCP servers and context files.
import type { FolderFilesAnswer } from "../../client/worker-client.ts";
import type { McpState } from "../../hosts/mcp-switch.ts";
import { counted, homePath } from "../words.ts";
import { type Check, ok, warn } from "./check.ts";

/** Whether the installed hosts have the MCP server. */
export function checkMcp(states: readonly McpState[]): Check {
  const name = "MCP server";
  const missing = states.filter(({ enabled }) => !enabled).map(({ host }) => host);
  if (states.length === 0) return ok(name, "not registered: no host agent is installed");
  if (missing.length > 0)
    return ok(name, `not registered for ${missing.join(", ")}. Register it: \`mem mcp enable\``);
  const where = states.map(({ file, plugin }) =>
    plugin === null ? `registered in ${homePath(file)}` : `from the plugin ${plugin}`,
  );
  return ok(name, where.join(", "));
}

/** Context files that are left after they were turned off; null without any. */
export function checkFolderFiles(isOn: boolean, files: FolderFilesAnswer["files"]): Check | null {
  const there = files.filter(({ is }) => is === "there").length;
  if (isOn || there === 0) return null;
  const message = `Context files are turned off, but ${counted(there, "file")} still ${there === 1 ? "has" : "have"} the section of mem.`;
  return warn("Folders", message, "mem folders remove");
}
