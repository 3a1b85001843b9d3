// What mem has put where others read it: the tools of recall at hosts, and context files in folders.
import type { FolderFilesAnswer } from "../../client/worker-client.ts";
import type { McpState } from "../../hosts/mcp-switch.ts";
import { counted, homePath } from "../words.ts";
import { type Check, ok, warn } from "./check.ts";

/** Whether the hosts that remember through mem have its MCP server. */
export function checkMcp(states: readonly McpState[]): Check {
  const name = "MCP server";
  const missing = states.filter(({ enabled }) => !enabled).map(({ host }) => host);
  if (states.length === 0) return ok(name, "not registered: no host agent is installed through mem");
  if (missing.length > 0)
    return ok(name, `not registered at ${missing.join(", ")}: \`mem mcp enable\` does it`);
  const where = states.map(({ file, plugin }) =>
    plugin === null ? `registered in ${homePath(file)}` : `brought by the plugin ${plugin}`,
  );
  return ok(name, where.join(", "));
}

/** Null unless context files that are switched off still stand in folders. */
export function checkFolderFiles(isOn: boolean, files: FolderFilesAnswer["files"]): Check | null {
  const there = files.filter(({ is }) => is === "there").length;
  if (isOn || there === 0) return null;
  const message = `Context files are switched off, but ${counted(there, "file")} in folders still ${there === 1 ? "has" : "have"} our section.`;
  return warn("Folders", message, "mem folders remove");
}
