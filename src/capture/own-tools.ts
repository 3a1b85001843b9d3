// The tools of our own MCP server: what memory tells is nothing new, and must not be remembered as if it were.

/** True for the name under which a host calls one of them. */
export function isOwnTool(name: string): boolean {
  return ownTool.test(name);
}

// `mcp__<server>__<tool>`, and for a server that a plugin brings `mcp__plugin_<plugin>_<server>__<tool>`.
const ownTool = /^mcp__(?:plugin_[\w-]{1,100}_)?mem__(?:search|timeline|get_observations|recent)$/;
