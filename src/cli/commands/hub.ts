// `mem hub`: runs the sync hub in the foreground, and manages its accounts on its host.
import type { Command } from "commander";
import { MemError } from "../../core/errors.ts";
import { loadServerSettings } from "../../settings/server.ts";
import { terminalLine } from "../../text/terminal-text.ts";
import { addCommand, count, type JsonOptions, jsonOption } from "../command.ts";
import { canAsk, confirm } from "../confirm.ts";
import type { CliContext } from "../context.ts";
import { type Column, printTable, printWrapped } from "../table.ts";
import { ageInWords, counted } from "../words.ts";

/** Adds `mem hub start` and `mem hub account create|list|token|devices|revoke|reset|delete`. */
export function registerHub(program: Command, context: CliContext): void {
  const hub = addCommand(program, context, {
    name: "hub",
    about: "Run the sync hub of your devices, and manage its accounts",
    examples: [
      "mem hub start # the hub, on this machine",
      "mem hub account create alice # an account and its first token",
    ],
  });
  addCommand(hub, context, {
    name: "start",
    about: "Run the hub in the foreground, on SQLite",
    options: [
      ["--host <address>", "address to bind to", undefined, "127.0.0.1"],
      ["--port <number>", "port to bind to; 0 takes any free one", count(0, 65_535), 37_810],
    ],
    examples: [
      "mem hub start # this machine; others over a proxy",
      "mem hub start --host 0.0.0.0 --port 8080 # plain HTTP for a private network",
    ],
    run: (options: StartOptions) => start(context, options),
  });
  const account = addCommand(hub, context, {
    name: "account",
    about: "Manage the accounts of the hub, their tokens and devices",
    examples: [
      "mem hub account create alice # an account and its first token",
      "mem hub account list --server # accounts of `mem server`",
    ],
  });
  registerTokens(account, context);
  registerAccounts(account, context);
}

const serverOption = ["--server", "the hub of `mem server`, not the one of `mem hub`"] as const;

function registerTokens(account: Command, context: CliContext): void {
  addCommand(account, context, {
    name: "create",
    about: "Create an account and its first token",
    arguments: [["<name>", "name of the account"]],
    options: [serverOption, jsonOption],
    examples: [
      "mem hub account create alice # prints the settings of a device",
      "mem hub account create alice --server # in the database of `mem server`",
    ],
    run: async (name: string, options: PlaceOptions) => {
      const { createAccountNow } = await import("../../server/hub/administer-hub.ts");
      showToken(context, await createAccountNow(placeOf(context, options), name), options);
    },
  });
  addCommand(account, context, {
    name: "token",
    about: "Add a token to an account",
    arguments: [["<account>", "name or id of the account"]],
    options: [serverOption, jsonOption],
    examples: [
      "mem hub account token alice # for another device",
      "mem hub account token alice --json # for a script",
    ],
    run: async (name: string, options: PlaceOptions) => {
      const { addTokenNow } = await import("../../server/hub/administer-hub.ts");
      showToken(context, await addTokenNow(placeOf(context, options), name), options);
    },
  });
  addCommand(account, context, {
    name: "revoke",
    about: "Revoke a token: its devices can no longer read or push",
    arguments: [["<token>", "id from `mem hub account list`"]],
    options: [serverOption, jsonOption],
    examples: [
      "mem hub account revoke 0b6f0c1e-8a53-4c0e-9d6b-0f4f1c1f7f0a",
      "mem hub account revoke 0b6f0c1e-8a53-4c0e-9d6b-0f4f1c1f7f0a --json",
    ],
    run: async (id: string, options: PlaceOptions) => {
      const { revokeTokenNow } = await import("../../server/hub/administer-hub.ts");
      const isRevoked = await revokeTokenNow(placeOf(context, options), id);
      if (options.json === true) context.io.json({ id, revoked: true, changed: isRevoked });
      else
        context.io.out(isRevoked ? "Revoked. Its devices can no longer read or push." : "Already revoked.");
    },
  });
}

function registerAccounts(account: Command, context: CliContext): void {
  addCommand(account, context, {
    name: "list",
    about: "List accounts with their tokens, without secrets",
    options: [serverOption, jsonOption],
    examples: [
      "mem hub account list # the hub of this data directory",
      "mem hub account list --server --json # `mem server`, for a script",
    ],
    run: (options: PlaceOptions) => listAccounts(context, options),
  });
  addCommand(account, context, {
    name: "devices",
    about: "List the devices of an account, or remove one",
    arguments: [["<account>", "name or id of the account"]],
    options: [
      ["--remove <device>", "free the place of a device; its records stay"],
      serverOption,
      jsonOption,
    ],
    examples: [
      "mem hub account devices alice # who pushed, and when",
      "mem hub account devices alice --remove old-laptop # one of at most 64 places",
    ],
    run: (name: string, options: DeviceOptions) => showDevices(context, name, options),
  });
  addCommand(account, context, {
    name: "reset",
    about: "Start a new, empty log; devices push their own records again",
    arguments: [["<account>", "name or id of the account"]],
    options: [["--yes", "do not ask"], serverOption, jsonOption],
    examples: ["mem hub account reset alice # asks first", "mem hub account reset alice --yes # in a script"],
    run: async (name: string, options: SureOptions) => {
      await demandSure(options, `Remove all records of ${terminalLine(name)} from the hub?`);
      const { resetAccountNow } = await import("../../server/hub/administer-hub.ts");
      const epoch = await resetAccountNow(placeOf(context, options), name);
      if (options.json === true) context.io.json({ name, reset: true, epoch });
      else context.io.out("Started a new log. Devices push their own records again.");
    },
  });
  addCommand(account, context, {
    name: "delete",
    about: "Delete an account with its log, devices and tokens",
    arguments: [["<account>", "name or id of the account"]],
    options: [["--yes", "do not ask"], serverOption, jsonOption],
    examples: [
      "mem hub account delete alice # asks first",
      "mem hub account delete alice --yes # in a script",
    ],
    run: async (name: string, options: SureOptions) => {
      await demandSure(options, `Delete the account ${terminalLine(name)} and its records on the hub?`);
      const { deleteAccountNow } = await import("../../server/hub/administer-hub.ts");
      await deleteAccountNow(placeOf(context, options), name);
      if (options.json === true) context.io.json({ name, deleted: true });
      else context.io.out("Deleted. The memory of its devices stays as it is.");
    },
  });
}

interface StartOptions {
  host: string;
  port: number;
}

interface PlaceOptions extends JsonOptions {
  server?: true;
}

interface DeviceOptions extends PlaceOptions {
  remove?: string;
}

interface SureOptions extends PlaceOptions {
  yes?: true;
}

async function start(context: CliContext, options: StartOptions): Promise<void> {
  const { io } = context;
  const { runHub } = await import("../../server/hub/run-hub.ts");
  const settings = context.settings("write");
  const server = loadServerSettings(context.environment);
  await runHub({ ...options, settings, server, isTerminal: io.talksToTerminal, say: io.out });
  // Runs until a signal ends the process.
  await new Promise<never>(() => undefined);
}

function placeOf(context: CliContext, { server }: PlaceOptions) {
  return {
    settings: context.settings("write"),
    server: loadServerSettings(context.environment),
    clock: context.clock,
    onServer: server === true,
  };
}

interface Made {
  id: string;
  name: string;
  tokenId: string;
  token: string;
}

// The lines are the settings of a device, for `.env` files and `eval`.
function showToken({ io }: CliContext, made: Made, { json }: JsonOptions): void {
  if (json === true) {
    io.json(made);
    return;
  }
  io.out(`MEM_CLOUD_SYNC_USER_ID=${made.id}`);
  io.out(`MEM_CLOUD_SYNC_TOKEN=${made.token}`);
  io.err("Save the token now: it is not stored and not shown again.");
  printWrapped(io, io.err, `On a device: \`mem sync setup --hub <url> --user ${made.id}\`.`);
}

const accountColumns: readonly Column[] = [
  { title: "account", flexible: true },
  { title: "id" },
  { title: "records", align: "right" },
  { title: "devices", align: "right" },
];

async function listAccounts(context: CliContext, options: PlaceOptions): Promise<void> {
  const { io, clock } = context;
  const { listAccountsNow } = await import("../../server/hub/administer-hub.ts");
  const accounts = await listAccountsNow(placeOf(context, options));
  if (options.json === true) return io.json({ items: accounts });
  if (accounts.length === 0) return io.err("There are no accounts.");
  const rows = accounts.map(({ name, id, op_count, device_count }) => [
    terminalLine(name),
    id,
    String(op_count),
    String(device_count),
  ]);
  printTable(io, accountColumns, rows, {
    below: (row) =>
      (accounts[row]?.tokens ?? []).map(
        (token) => `  token ${token.id}  ${token.prefix}…${token.last_four}  ${stateOf(token, clock.now())}`,
      ),
  });
}

function stateOf(
  { revoked_at_epoch, last_used_at_epoch }: Record<"revoked_at_epoch" | "last_used_at_epoch", number | null>,
  nowEpochMs: number,
): string {
  if (revoked_at_epoch !== null) return "revoked";
  return last_used_at_epoch === null ? "not used yet" : `used ${ageInWords(last_used_at_epoch, nowEpochMs)}`;
}

async function showDevices(context: CliContext, account: string, options: DeviceOptions): Promise<void> {
  const { io, clock } = context;
  const { listDevicesNow, removeDeviceNow } = await import("../../server/hub/administer-hub.ts");
  const place = placeOf(context, options);
  if (options.remove !== undefined) {
    await removeDeviceNow(place, account, options.remove);
    if (options.json !== true) return io.out("Removed. It takes a place again when it pushes.");
  }
  const devices = await listDevicesNow(place, account);
  if (options.json === true) return io.json({ items: devices });
  if (devices.length === 0) return io.err("No device has pushed yet.");
  const rows = devices.map(({ id, name, last_push_at_epoch }) => [
    id,
    terminalLine(name),
    ageInWords(last_push_at_epoch, clock.now()),
  ]);
  printTable(io, [{ title: "device" }, { title: "name", flexible: true }, { title: "last push" }], rows);
  io.err(`${counted(devices.length, "device")} of at most 64.`);
}

async function demandSure({ yes }: SureOptions, question: string): Promise<void> {
  if (yes === true) return;
  if (!canAsk()) {
    throw new MemError("usage", {
      message: "This cannot be undone, and there is no terminal to ask on.",
      hint: "Add --yes to do it without a question.",
    });
  }
  await confirm(`${question} It cannot be undone.`, "Nothing was changed.");
}
