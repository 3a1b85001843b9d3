// MCP tools and unknown tools: what their observation says.
import { it } from "vitest";
import { expectRow, type Row } from "./support.ts";

const rows: Row[] = [
  [
    {
      tool: "mcp__github__create_issue",
      input: { owner: "u", title: "Queue race" },
      response: [{ type: "text", text: '{"number":12,"html_url":"https://github.com/u/shop/issues/12"}' }],
    },
    "github: create issue (Queue race)",
    {
      provenance: "mcp",
      facts: ["MCP tool create_issue of server github", "title: Queue race"],
    },
  ],
  [
    {
      tool: "mcp__db__query",
      input: { sql: "select 1" },
      response: { content: [{ type: "text", text: "connection refused" }], isError: true },
    },
    "db: query failed (select 1)",
    { provenance: "mcp", facts: ["Error: connection refused"] },
  ],
  [
    { tool: "Frobnicate", input: { target: "build", level: 3 }, response: { status: "ok" } },
    "Frobnicate (build)",
    { obs_type: "discovery", facts: ["target: build", "level: 3"] },
  ],
  [{ tool: "constructor", input: null, response: null }, "constructor"],
  [{ tool: "", input: 5, response: [] }, "A tool"],
];

it.each(rows)("MCP and unknown tools: $0.tool $0.input gets the title “$1”", expectRow);
