// Where the MCP endpoint of a hosted server is.

/** The address of the endpoint below the server's own; what does not belong into an address of a command is dropped. */
export function mcpUrlAt(serverUrl: string): string {
  const url = new URL(serverUrl);
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}/v1/mcp`;
}
