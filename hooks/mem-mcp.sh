#!/bin/sh
# Starts the MCP server for a host agent, with the Node that mem has written down. A copy of this file is in the data
# directory: hosts keep its path, while the path of Node changes with its version.
here=${0%/*} runtime=''
note=$here/../hook-runtime
[ -O "$note" ] && read -r runtime <"$note"
[ -x "$runtime" ] || runtime=node
command -v "$runtime" >/dev/null || {
  echo 'mem: Node is missing, so there is no recall. Install it, then run `mem repair`.' >&2
  exit 1
}
exec "$runtime" "$here/mem-mcp.mjs"
