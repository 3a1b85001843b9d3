// `mem keys`: API keys of the hosted server, on the server's host.
import { type Command, InvalidArgumentError } from "commander";
import { type ConnectHost, connectHosts, keyPlaceholder } from "../../core/records/connect-commands.ts";
import { type Scope, scopes } from "../../core/records/tenancy.ts";
import { loadServerSettings } from "../../settings/server.ts";
import { addCommand, choice, count, type JsonOptions, jsonOption, required } from "../command.ts";
import type { CliContext } from "../context.ts";
import {
  connectionAsJson,
  connectionOf,
  connectLines,
  createdLines,
  keyLines,
  keysAsJson,
} from "../key-lines.ts";
import { counted } from "../words.ts";

/** Adds `mem keys create|list|revoke|connect`. */
export function registerKeys(program: Command, context: CliContext): void {
  const keys = addCommand(program, context, {
    name: "keys",
    about: "Create, list and revoke API keys of the hosted server",
    examples: [
      "mem keys create --team acme --scope memories:read # the first key",
      "mem keys connect # connect an agent",
    ],
  });
  addCommand(keys, context, {
    name: "create",
    about: "Create a key; creates the team and project if needed",
    options: [
      required("--team <name>", "team of the key"),
      ["--project <name>", "limit the key to one project"],
      required("--scope <scope>", `permission: ${scopes.join(" or ")}; may be repeated`).argParser(addScope),
      ["--expires-in-days <days>", "lifetime, 1 to 365 days", count(1, 365), 90],
      ["--label <text>", "name shown in lists, for example the owner", undefined, ""],
      jsonOption,
    ],
    examples: [
      "mem keys create --team a --scope memories:read # all projects",
      "mem keys create --team a --project shop --scope memories:write # one",
    ],
    run: (options: CreateOptions) => createKey(context, options),
  });
  addCommand(keys, context, {
    name: "list",
    about: "List the keys, without their secrets",
    options: [["--team <name>", "only keys of this team"], jsonOption],
    examples: ["mem keys list # all teams", "mem keys list --team acme --json # one team, for a script"],
    run: (options: JsonOptions & { team?: string }) => listKeys(context, options),
  });
  addCommand(keys, context, {
    name: "revoke",
    about: "Revoke a key and every key created with it",
    arguments: [["<id>", "id from `mem keys list`"]],
    options: [jsonOption],
    examples: [
      "mem keys revoke 0b6f0c1e-8a53-4c0e-9d6b-0f4f1c1f7f0a",
      "mem keys revoke 0b6f0c1e-8a53-4c0e-9d6b-0f4f1c1f7f0a --json # for a script",
    ],
    run: (id: string, options: JsonOptions) => revokeKey(context, id, options),
  });
  addCommand(keys, context, {
    name: "connect",
    about: "Print the command that connects an agent to the server",
    options: [
      choice("--host-agent <name>", "only for this agent", connectHosts),
      ["--url <address>", "address of the server; default: MEM_PUBLIC_URL or the server here"],
      ["--key <key>", "API key to use in the command", undefined, keyPlaceholder],
      jsonOption,
    ],
    examples: [
      "mem keys connect --url https://memory.example.com # for every agent",
      "mem keys connect --host-agent claude-code --key mem_... # one line, complete",
    ],
    run: (options: ConnectOptions) => showConnection(context, options),
  });
}

interface CreateOptions extends JsonOptions {
  team: string;
  project?: string;
  scope: Scope[];
  expiresInDays: number;
  label: string;
}

async function createKey(context: CliContext, { scope, json, ...wish }: CreateOptions): Promise<void> {
  const { createKeyNow } = await import("../../server/administer/administer-keys.ts");
  const asked = { ...wish, project: wish.project, scopes: scope };
  const made = await createKeyNow(settingsOf(context), asked, context.clock);
  if (json === true) context.io.json(made);
  else {
    context.io.out(made.apiKey);
    for (const line of createdLines(made, wish)) context.io.err(line);
  }
}

async function listKeys(context: CliContext, { team, json }: JsonOptions & { team?: string }): Promise<void> {
  const { listKeysNow } = await import("../../server/administer/administer-keys.ts");
  const { io, clock } = context;
  const found = await listKeysNow(settingsOf(context), team);
  if (json === true) io.json({ items: keysAsJson(found) });
  else if (found.length === 0) io.err(team === undefined ? "There are no keys." : "The team has no keys.");
  else {
    for (const line of keyLines(found, { nowEpochMs: clock.now(), columns: io.columns })) io.out(line);
  }
}

async function revokeKey(context: CliContext, id: string, { json }: JsonOptions): Promise<void> {
  const { revokeKeyNow } = await import("../../server/administer/administer-keys.ts");
  const revokedIds = await revokeKeyNow(settingsOf(context), id);
  const others = revokedIds.length - 1;
  if (json === true) context.io.json({ revoked: true, id, revokedIds });
  else if (others < 0) context.io.out("Already revoked.");
  else {
    context.io.out(others === 0 ? "Revoked." : `Revoked, with ${counted(others, "key")} created with it.`);
    context.io.err(
      "Running servers refuse it immediately; a server without a database connection, within ten seconds.",
    );
  }
}

interface ConnectOptions extends JsonOptions {
  hostAgent?: ConnectHost;
  url?: string;
  key: string;
}

async function showConnection(
  context: CliContext,
  { hostAgent, url, key, json }: ConnectOptions,
): Promise<void> {
  const { io } = context;
  const known = url ?? (await knownUrl(context));
  const connection = connectionOf(known ?? defaultUrl, key);
  if (known === undefined)
    io.err(
      `No server runs on this data directory. Using the default address ${defaultUrl}; set --url for another.`,
    );
  if (json === true) io.json(connectionAsJson(connection));
  else if (hostAgent !== undefined) io.out(connection.connectCommands[hostAgent]);
  else {
    for (const line of connectLines(connection)) io.out(line);
    io.err(connection.hint);
  }
}

const defaultUrl = "http://127.0.0.1:37800";

async function knownUrl(context: CliContext): Promise<string | undefined> {
  const publicUrl = loadServerSettings(context.environment).get("MEM_PUBLIC_URL");
  if (publicUrl !== "") return publicUrl;
  const { announcedUrl } = await import("../../server/postgres/announced.ts");
  return announcedUrl(context.settings("read").dataDir);
}

function settingsOf(context: CliContext) {
  return { settings: context.settings("read"), server: loadServerSettings(context.environment) };
}

function addScope(text: string, before: Scope[] = []): Scope[] {
  const added = scopes.find((scope) => scope === text);
  if (added === undefined) throw new InvalidArgumentError(`Must be ${scopes.join(" or ")}.`);
  return before.includes(added) ? before : [...before, added];
}
