// `mem keys create|list|revoke|connect`: the API keys of the hosted server, on the server's host.
import { type Command, InvalidArgumentError, Option } from "commander";
import { type ConnectHost, connectHosts, keyPlaceholder } from "../../core/records/connect-commands.ts";
import { type Scope, scopes } from "../../core/records/tenancy.ts";
import { loadServerSettings } from "../../settings/server.ts";
import type { CliContext } from "../context.ts";
import { withExamples } from "../examples.ts";
import { connectionOf, connectLines, createdLines, keyLines, keysAsJson } from "../key-lines.ts";

/** Adds `mem keys create|list|revoke|connect`. */
export function registerKeys(program: Command, context: CliContext): void {
  const keys = program
    .command("keys")
    .description("make, list and revoke the keys of the hosted server; needs its database");
  withExamples(keys, [
    ["mem keys create --team acme --scope memories:read", "the first key"],
    ["mem keys connect", "how agents are connected"],
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
    .description("make a key, and its team and project when there are none of the name")
    .requiredOption("--team <name>", "the team that it belongs to")
    .option("--project <name>", "the one project that it reaches; every one of the team without it")
    .requiredOption("--scope <scope>", `what it may do: ${scopes.join(" or ")}; may be repeated`, addScope)
    .option("--expires-in-days <days>", "from 1 to 365", parseDays, 90)
    .option("--label <text>", "what lists show of it, for example whose it is", "")
    .option("--json", "print JSON")
    .action(async ({ scope, json, ...wish }: CreateOptions) => {
      const { createKeyNow } = await import("../../server/administer-keys.ts");
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
    ["mem keys create --team a --scope memories:read", "all projects"],
    ["mem keys create --team a --project shop --scope memories:write", "one"],
  ]);
}

function registerList(keys: Command, context: CliContext): void {
  const list = keys
    .command("list")
    .description("list the keys, without their text")
    .option("--team <name>", "of one team")
    .option("--json", "print JSON")
    .action(async ({ team, json }: { team?: string; json?: true }) => {
      const { listKeysNow } = await import("../../server/administer-keys.ts");
      const { io, clock } = context;
      const found = await listKeysNow(settingsOf(context), team);
      if (json === true) io.json({ keys: keysAsJson(found) });
      else if (found.length === 0)
        io.err(team === undefined ? "There are no keys." : "The team has no keys.");
      else {
        const columns = io.isTerminal ? io.columns : Number.POSITIVE_INFINITY;
        for (const line of keyLines(found, { nowEpochMs: clock.now(), columns })) io.out(line);
      }
    });
  withExamples(list, [
    ["mem keys list", "of every team"],
    ["mem keys list --team acme --json", "of one, for a program"],
  ]);
}

function registerRevoke(keys: Command, context: CliContext): void {
  const revoke = keys
    .command("revoke")
    .description("end a key and every key that was made with it, for good")
    .argument("<id>", "as `mem keys list` shows it")
    .option("--json", "print JSON")
    .action(async (id: string, { json }: { json?: true }) => {
      const { revokeKeyNow } = await import("../../server/administer-keys.ts");
      const revokedIds = await revokeKeyNow(settingsOf(context), id);
      if (json === true) context.io.json({ revoked: true, id, revokedIds });
      else if (revokedIds.length === 0) context.io.out("It was revoked before.");
      else {
        const others = revokedIds.length - 1;
        context.io.out(
          others === 0
            ? "Revoked."
            : `Revoked, and ${others} that ${others === 1 ? "descends" : "descend"} from it.`,
        );
        context.io.err(
          "Servers that run refuse it at once; one that has lost its connection to the database, within ten seconds.",
        );
      }
    });
  withExamples(revoke, [
    ["mem keys revoke 0b6f0c1e-8a53-4c0e-9d6b-0f4f1c1f7f0a", ""],
    ["mem keys revoke 0b6f0c1e-8a53-4c0e-9d6b-0f4f1c1f7f0a --json", "for a program"],
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
    .description("print the line that gives an agent recall from the server")
    .addOption(new Option("--host-agent <name>", "of one agent").choices(connectHosts))
    .option("--url <address>", "of the server; MEM_PUBLIC_URL, or of the server that runs here, without it")
    .option("--key <key>", "to put into the line", keyPlaceholder)
    .option("--json", "print JSON")
    .action(async ({ hostAgent, url, key, json }: ConnectOptions) => {
      const { io } = context;
      const known = url ?? (await knownUrl(context));
      const connection = connectionOf(known ?? defaultUrl, key);
      if (known === undefined)
        io.err(
          `No server runs on this data directory: ${defaultUrl} is its address unless --port says another.`,
        );
      if (json === true) io.json(connection);
      else if (hostAgent !== undefined) io.out(connection.connectCommands[hostAgent]);
      else {
        for (const line of connectLines(connection)) io.out(line);
        io.err(connection.hint);
      }
    });
  withExamples(connect, [
    ["mem keys connect --url https://memory.example.com", "for every agent"],
    ["mem keys connect --host-agent claude-code --key mem_...", "one line, complete"],
  ]);
}

const defaultUrl = "http://127.0.0.1:37800";

async function knownUrl(context: CliContext): Promise<string | undefined> {
  const publicUrl = loadServerSettings(context.environment).get("MEM_PUBLIC_URL");
  if (publicUrl !== "") return publicUrl;
  const { announcedUrl } = await import("../../server/announced.ts");
  return announcedUrl(context.settings("read").dataDir);
}

function settingsOf(context: CliContext) {
  return { settings: context.settings("read"), server: loadServerSettings(context.environment) };
}

function addScope(text: string, before: Scope[] = []): Scope[] {
  const added = scopes.find((scope) => scope === text);
  if (added === undefined) throw new InvalidArgumentError(`A scope is ${scopes.join(" or ")}.`);
  return before.includes(added) ? before : [...before, added];
}

function parseDays(text: string): number {
  const days = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (days >= 1 && days <= 365) return days;
  throw new InvalidArgumentError("It is a whole number of days from 1 to 365.");
}
