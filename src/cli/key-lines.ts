// Renders keys and connect commands.
import { isoTime } from "../core/clock.ts";
import { MemError } from "../core/errors.ts";
import type { ApiKey } from "../core/records/api-key.ts";
import { connectCommands, connectHint, connectHosts } from "../core/records/connect-commands.ts";
import { mcpUrlAt } from "../core/records/mcp-url.ts";
import { cutToWidth, displayWidth, padToWidth, terminalLine } from "../text/terminal-text.ts";

interface ListedKey extends ApiKey {
  team: string;
  project: string | null;
}

/** Printed beside a new key. */
export function createdLines(
  { id, expiresAt, scopes }: { id: string; expiresAt: string; scopes: readonly string[] },
  { team, project }: { team: string; project?: string | undefined },
): string[] {
  const mayShare = ["memories:read", "memories:write"].every((scope) => scopes.includes(scope));
  const reach = project === undefined ? `every project of ${team}` : `${project} of ${team}`;
  return [
    "Save the key now: it is not stored and not shown again.",
    `Key ${id} for ${terminalLine(reach)}: ${scopes.join(" and ")}, expires ${expiresAt.slice(0, 10)}.`,
    "Connect an agent: `mem keys connect --key <key>`.",
    ...(mayShare ? ["Connect a colleague's memory, there: `mem server connect --url <url>`."] : []),
  ];
}

/** A table; two lines for each key where the table is too wide for the terminal. */
export function keyLines(
  keys: readonly ListedKey[],
  { nowEpochMs, columns }: { nowEpochMs: number; columns: number },
): string[] {
  const table = keyTable(keys, nowEpochMs);
  if (table.every((line) => displayWidth(line) <= columns)) return table;
  return keys.flatMap((key) => {
    const [id = "", text = "", team = "", project = "", may = "", state = "", used = "", label = ""] =
      cellsOf(key, nowEpochMs);
    const more = [text, `${team}, ${project}`, `used ${used}`, label].filter((part) => part !== "");
    return [`${id}  ${padToWidth(may, 10)}  ${state}`, cutToWidth(`  ${more.join("  ")}`, columns)];
  });
}

function keyTable(keys: readonly ListedKey[], nowEpochMs: number): string[] {
  const rows = [
    ["id", "key", "team", "project", "may", "state", "last used", "label"],
    ...keys.map((key) => cellsOf(key, nowEpochMs)),
  ];
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => displayWidth(row[column] ?? ""))),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => padToWidth(cell, widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

function cellsOf(key: ListedKey, nowEpochMs: number): string[] {
  return [
    key.id,
    `${key.prefix}…${key.last_four}`,
    terminalLine(key.team),
    key.project === null ? "(all)" : terminalLine(key.project),
    key.scopes.map((scope) => scope.replace("memories:", "")).join("+"),
    stateOf(key, nowEpochMs),
    key.last_used_at_epoch === null ? "never" : day(key.last_used_at_epoch),
    terminalLine(key.label),
  ];
}

function stateOf({ revoked_at_epoch, expires_at_epoch }: ApiKey, nowEpochMs: number): string {
  if (revoked_at_epoch !== null) return `revoked ${day(revoked_at_epoch)}`;
  return expires_at_epoch <= nowEpochMs
    ? `expired ${day(expires_at_epoch)}`
    : `until ${day(expires_at_epoch)}`;
}

function day(epochMs: number): string {
  return isoTime(epochMs).slice(0, 10);
}

/** Keys with the field names of the HTTP API. */
export function keysAsJson(keys: readonly ListedKey[]) {
  const timeOf = (epochMs: number | null) => (epochMs === null ? null : isoTime(epochMs));
  return keys.map((key) => ({
    id: key.id,
    prefix: key.prefix,
    lastFour: key.last_four,
    label: key.label,
    scopes: key.scopes,
    teamId: key.team_id,
    team: key.team,
    projectId: key.project_id,
    project: key.project,
    parentId: key.parent_id,
    createdAt: timeOf(key.created_at_epoch),
    expiresAt: timeOf(key.expires_at_epoch),
    revokedAt: timeOf(key.revoked_at_epoch),
    lastUsedAt: timeOf(key.last_used_at_epoch),
  }));
}

/** The connect commands for a server, as GET /v1/connect returns them. Throws `usage`. */
export function connectionOf(serverUrl: string, apiKey: string) {
  if (!URL.canParse(serverUrl) || !/^https?:/i.test(serverUrl)) {
    throw new MemError("usage", {
      message: "The address of the server must begin with http:// or https://.",
      hint: "For example --url https://memory.example.com.",
    });
  }
  const mcpUrl = mcpUrlAt(serverUrl.replace(/\/v1\/mcp\/?$/, ""));
  const commands = connectCommands({ mcpUrl, apiKey });
  return { mcpUrl, connectCommand: commands["claude-code"], connectCommands: commands, hint: connectHint };
}

/** Each agent with its command below it. */
export function connectLines({ connectCommands: commands }: ReturnType<typeof connectionOf>): string[] {
  return connectHosts.flatMap((host) => [`# ${host}`, commands[host]]);
}

/** The connection for `--json`: a line for each agent. */
export function connectionAsJson({
  mcpUrl,
  connectCommands: commands,
  hint,
}: ReturnType<typeof connectionOf>) {
  return { items: connectHosts.map((host) => ({ host, command: commands[host] })), mcpUrl, hint };
}
