// What the user changed in our entry of the MCP server, kept when mem registers again.
import { describe, expect, test } from "vitest";
import { type EditedFile, mcpEntry } from "../../src/hosts/integration.ts";
import { type InstallRecord, planFile, registered } from "../../src/hosts/registration.ts";

function fileOf(syntax: "json" | "toml", folder = "/opt/bin"): EditedFile {
  const server = { command: "/bin/sh", args: [`${folder}/mem-mcp.sh`], env: {}, enabled: true };
  return { path: `/home/user/some.${syntax}`, syntax, mcp: [mcpEntry(["servers"], server)] };
}

function plan(file: EditedFile, before: string | null, earlier?: InstallRecord | null) {
  const request = { host: "some", folder: "/home/user", parts: new Set(["mcp"] as const) };
  return planFile({ ...request, file, before, earlier: earlier ?? undefined });
}

describe.each([
  ["json", '"enabled": true', '"enabled": false, "timeout": 30'],
  ["toml", "enabled = true", "enabled = false\ntimeout = 30"],
] as const)("fields of the user in %s", (syntax, from, to) => {
  const first = plan(fileOf(syntax), null);
  const changed = (first.after ?? "").replace(from, to);

  test("the entry stays if it starts the same server", () => {
    expect(changed).not.toBe(first.after);
    expect(plan(fileOf(syntax), changed, first.record).after).toBe(changed);
    expect(registered(fileOf(syntax), changed, "mcp")).toMatchObject({ exact: 1, other: 0 });
  });

  test("they stay when the entry starts another server", () => {
    const moved = fileOf(syntax, "/opt/new");
    const after = plan(moved, changed, first.record).after ?? "";
    expect(registered(moved, after, "mcp")).toMatchObject({ exact: 1, other: 0 });
    for (const field of to.split(/[,\n]/)) expect(after).toContain(field.trim());
  });
});
