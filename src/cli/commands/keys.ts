// `mem keys`: API keys of the hosted server, on the server's host.
import { type Command, InvalidArgumentError, Option } from "commander";
import { type ConnectHost, connectHosts, keyPlaceholder } from "../../core/records/connect-commands.ts";
import { type Scope, scopes } from "../../core/records/tenancy.ts";
import { loadServerSettings } from "../../settings/server.ts";
import { withExamples } from "../command.ts";
import type { CliContext } from "../context.ts";
import {
  connectionAsJson,
  connectionOf,
  connectLines,
  createdLines,
  keyLines,
  keysAsJson,
} from "../key-lines.ts";

/** Adds `mem keys create|list|revoke|connect`. */
export function registerKeys(program: Command, context: CliContext): void {
  const keys = program.command("keys").description("Create, list and revoke API keys of the hosted server");
  withExamples(keys, [
    "mem keys create --team acme --scope memories:read # the first key",
    "mem keys connect # connect an agent",
  ]);
  registerCreate(keys, context);
  registerList(keys, context);
  registerRevoke(keys, context);
  registerConnect(keys, context);
}

interface CreateOptions {
  team: string;
  project?: string;
  scope: Scope[];
  expiresInDays: number;
  label: string;
  json?: true;
}

function registerCreate(keys: Command, context: CliContext): void {
  const create = keys
    .command("create")
    .description("Create a key; creates the team and project if needed")
    .requiredOption("--team <name>", "team of the key")
    .option("--project <name>", "limit the key to one project")
    .requiredOption("--scope <scope>", `permission: ${scopes.join(" or ")}; may be repeated`, addScope)
    .option("--expires-in-days <days>", "lifetime, 1 to 365 days", parseDays, 90)
    .option("--label <text>", "name shown in lists, for example the owner", "")
    .option("--json", "print JSON")
    .action(async ({ scope, json, ...wish }: CreateOptions) => {
      const { createKeyNow } = await import("../../server/administer/administer-keys.ts");
      const made = await createKeyNow(
        settingsOf(context),
        { ...wish, project: wish.project, scopes: scope },
        context.clock,
      );
      if (json === true) context.io.json(made);
      else {
        context.io.out(made.apiKey);
        for (const line of createdLines(made, wish)) context.io.err(line);
      }
    });
  withExamples(create, [
    "mem keys create --team a --scope memories:read # all projects",
    "mem keys create --team a --project shop --scope memories:write # one",
  ]);
}

function registerList(keys: Command, context: CliContext): void {
  const list = keys
    .command("list")
    .description("List the keys, without their secrets")
    .option("--team <name>", "only keys of this team")
    .option("--json", "print JSON")
    .action(async ({ team, json }: { team?: string; json?: true }) => {
      const { listKeysNow } = await import("../../server/administer/administer-keys.ts");
      const { io, clock } = context;
      const found = await listKeysNow(settingsOf(context), team);
      if (json === true) io.json({ items: keysAsJson(found) });
      else if (found.length === 0)
        io.err(team === undefined ? "There are no keys." : "The team has no keys.");
      else {
        const columns = io.isTerminal ? io.columns : Number.POSITIVE_INFINITY;
        for (const line of keyLines(found, { nowEpochMs: clock.now(), columns })) io.out(line);
      }
    });
  withExamples(list, [
    "mem keys list # all teams",
    "mem keys list --team acme --json # one team, for a script",
  ]);
}

function registerRevoke(keys: Command, context: CliContext): void {
  const revoke = keys
    .command("revoke")
    .description("Revoke a key and every key created with it")
    .argument("<id>", "id from `mem keys list`")
    .option("--json", "print JSON")
    .action(async (id: string, { json }: { json?: true }) => {
      const { revokeKeyNow } = await import("../../server/administer/administer-keys.ts");
      const revokedIds = await revokeKeyNow(settingsOf(context), id);
      if (json === true) context.io.json({ revoked: true, id, revokedIds });
      else if (revokedIds.length === 0) context.io.out("Already revoked.");
      else {
        const others = revokedIds.length - 1;
        context.io.out(
          others === 0
            ? "Revoked."
            : `Revoked, with ${others} ${others === 1 ? "key" : "keys"} created with it.`,
        );
        context.io.err(
          "Running servers refuse it immediately; a server without a database connection, within ten seconds.",
        );
      }
    });
  withExamples(revoke, [
    "mem keys revoke 0b6f0c1e-8a53-4c0e-9d6b-0f4f1c1f7f0a",
    "mem keys revoke 0b6f0c1e-8a53-4c0e-9d6b-0f4f1c1f7f0a --json # for a script",
  ]);
}

interface ConnectOptions {
  hostAgent?: ConnectHost;
  url?: string;
  key: string;
  json?: true;
}

function registerConnect(keys: Command, context: CliContext): void {
  const connect = keys
    .command("connect")
    .description("Print the command that connects an agent to the server")
    .addOption(new Option("--host-agent <name>", "only for this agent").choices(connectHosts))
    .option("--url <address>", "address of the server; default: MEM_PUBLIC_URL or the server here")
    .option("--key <key>", "API key to use in the command", keyPlaceholder)
    .option("--json", "print JSON")
    .action(async ({ hostAgent, url, key, json }: ConnectOptions) => {
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
    });
  withExamples(connect, [
    "mem keys connect --url https://memory.example.com # for every agent",
    "mem keys connect --host-agent claude-code --key mem_... # one line, complete",
  ]);
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

function parseDays(text: string): number {
  const days = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (days >= 1 && days <= 365) return days;
  throw new InvalidArgumentError("Must be a whole number from 1 to 365.");
}
