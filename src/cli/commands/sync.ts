// `mem sync`: devices that share one memory over a hub: set up, state, pause, a run right now.
import type { Command } from "commander";
import type { SyncAnswer } from "../../client/worker-client.ts";
import { errorCatalogue, MemError } from "../../core/errors.ts";
import { terminalLine } from "../../text/terminal-text.ts";
import { addCommand, type JsonOptions, jsonOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import { exitCode } from "../exit-codes.ts";
import { changePassphrase, type KeyOptions, rotateKey } from "../sync-keys.ts";
import { earlierStay, printSync, runUntilDone, syncJson } from "../sync-lines.ts";
import { type SetupOptions, setUpSync } from "../sync-setup.ts";
import { printWrapped } from "../table.ts";
import { noProjects } from "../unknown-project.ts";
import { ageInWords } from "../words.ts";

/** Adds `mem sync status|setup|now|devices|earlier|pause|resume|passphrase|rotate`. */
export function registerSync(program: Command, context: CliContext): void {
  const sync = addCommand(program, context, {
    name: "sync",
    about: "Share one memory between your devices over a hub",
    examples: ["mem sync setup --hub https://hub.example.com --user <id>", "mem sync status # what waits"],
  });
  addCommand(sync, context, {
    name: "status",
    about: "Show the state of sync, and ask the hub",
    options: [jsonOption],
    examples: ["mem sync status", "mem sync status --json # for a script"],
    run: async (options: JsonOptions) => show(context, await context.worker().syncStatus(), options),
  });
  addCommand(sync, context, {
    name: "setup",
    about: "Join a hub, or make its account's keys",
    options: [
      ["--hub <url>", "address of the hub"],
      ["--user <id>", "user id at the hub, from `mem hub account create`"],
      ["--device-name <name>", "name of this device; else the machine's"],
      ["--projects <which>", "projects that may leave: all, none, or names with commas"],
      ["--earlier", "their records from before this setup leave too"],
      ["--plain", "no encryption: make or join an account that the hub can read"],
      ["--allow-http", "take a plain http address in a private network you trust"],
      ["--recovery", "open the account with its recovery phrase, not the passphrase"],
      ["--stdin", "read token and passphrase (or phrase) as lines from stdin"],
      jsonOption,
    ],
    notes: `At a terminal it asks for what is not given. The first device of an account
chooses a passphrase and is shown a recovery phrase once; other devices enter
one of them. Records are encrypted on this device, so the hub cannot read
them. Without both they cannot be read. No project leaves before you agree.`,
    examples: [
      "mem sync setup --hub http://127.0.0.1:37810 --user <id>",
      'printf "$TOKEN\\n$PASSPHRASE\\n" | mem sync setup --stdin --projects shop',
    ],
    run: (options: SetupOptions) => setUpSync(context, options),
  });
  addCommand(sync, context, {
    name: "now",
    about: "Pull and push, with progress; retries what failed",
    options: [jsonOption],
    examples: ["mem sync now", "mem sync now --json # the state afterwards"],
    run: async (options: JsonOptions) => {
      const answer = await runUntilDone(context);
      if (answer.configured && answer.state === "paused") context.exitWith(exitCode.retryLater);
      else if (answer.configured && (answer.lastError ?? answer.reason) !== null)
        context.exitWith(errorCatalogue.worker_unreachable.exitCode);
      show(context, answer, options);
    },
  });
  addCommand(sync, context, {
    name: "devices",
    about: "List the devices of the account, as the hub knows them",
    options: [jsonOption],
    notes: `To free the place of a device, on the hub's host:
\`mem hub account devices <account> --remove <device>\`.`,
    examples: ["mem sync devices", "mem sync devices --json # with first and last push"],
    run: (options: JsonOptions) => showDevices(context, options),
  });
  addKeyCommands(sync, context);
  for (const [name, about] of [
    ["earlier", "Let records from before the setup leave this device too"],
    ["pause", "Stop pushing and pulling until `mem sync resume`"],
    ["resume", "Go on after `mem sync pause`"],
  ] as const) {
    addCommand(sync, context, {
      name,
      about,
      options: [jsonOption],
      examples: [`mem sync ${name}`, `mem sync ${name} --json # the state afterwards`],
      run: async (options: JsonOptions) => show(context, await context.worker().sync(name), options),
    });
  }
}

function addKeyCommands(sync: Command, context: CliContext): void {
  const options = [["--stdin", "read the new passphrase as a line from stdin"], jsonOption] as const;
  addCommand(sync, context, {
    name: "passphrase",
    about: "Change the passphrase of the account's key",
    options: [...options],
    notes: `Devices that are set up go on without it; a device that joins needs it. Who
knows the earlier passphrase can still open what the hub has: that takes a new
key, \`mem sync rotate\`. The recovery phrase stays the same.`,
    examples: [
      "mem sync passphrase",
      "pass show mem | mem sync passphrase --stdin # from a password manager",
    ],
    run: (options: KeyOptions) => changePassphrase(context, options),
  });
  addCommand(sync, context, {
    name: "rotate",
    about: "Make a new key for the account, with a new passphrase",
    options: [...options],
    notes: `Records written from now on cannot be read with the earlier key, as after a
device was lost. Older ones stay readable. Other devices stop until you enter
the new passphrase there: \`mem sync setup\`. A new recovery phrase is shown.
Revoke the lost device's token on the hub too: \`mem hub account revoke\`.`,
    examples: ["mem sync rotate", "pass show mem | mem sync rotate --stdin # from a password manager"],
    run: (options: KeyOptions) => rotateKey(context, options),
  });
}

async function showDevices(context: CliContext, { json }: JsonOptions): Promise<void> {
  const { io, clock } = context;
  const answer = await context.worker().syncDevices();
  const { configured, error, items } = answer;
  if (error !== null) context.exitWith(errorCatalogue.worker_unreachable.exitCode);
  if (json === true) io.json(answer);
  else if (error !== null) io.err(`The devices are not known: ${terminalLine(error)}`);
  else if (!configured) io.out(notSetUp);
  else if (items.length === 0) io.out("No device has pushed yet.");
  for (const { id, name, last_push_at_epoch: at, this_device } of json === true ? [] : items) {
    const mark = this_device ? ", this device" : "";
    io.out(`${terminalLine(name) || "(no name)"}  ${id}  last push ${ageInWords(at, clock.now())}${mark}`);
  }
}

const notSetUp = "Sync is not set up: records stay on this device. To join a hub: `mem sync setup`.";

/** Adds `mem project sync on|off`. */
export function registerProjectSync(project: Command, context: CliContext): void {
  addCommand(project, context, {
    name: "sync",
    about: "Choose whether the records of a project leave this device",
    arguments: [
      ["<choice>", "on or off", choiceOf],
      ["[name]", "a name from `mem project list`; without it every project without a choice"],
    ],
    options: [jsonOption],
    examples: ["mem project sync on shop # its records go to the hub", "mem project sync off # the default"],
    run: async (choice: "on" | "off", given: string | undefined, options: JsonOptions) => {
      const name = given === undefined ? undefined : await demandProject(context, given);
      const answer = await context.worker().chooseSync(name, choice === "on");
      show(context, answer, options, () => {
        const which = name === undefined ? "Projects without a choice" : `Records of ${terminalLine(name)}`;
        const stays = "stay on this device. What the hub has already stays there.";
        if (choice === "off") return `${which} ${stays}`;
        if (!answer.configured) return `${which} are synced after \`mem sync setup\`.`;
        const since = answer.earlierStaysSince;
        return since === null ? `${which} are synced.` : `${which} are synced. ${earlierStay(since)}`;
      });
    },
  });
}

function choiceOf(text: string): "on" | "off" {
  if (text === "on" || text === "off") return text;
  throw new MemError("usage", {
    message: `${text} is neither on nor off.`,
    hint: "See `mem project sync --help`.",
  });
}

/** The present name of the project. One without records is known too: `mem sync status` lists it. */
async function demandProject(context: CliContext, name: string): Promise<string> {
  const { projects } = await context.worker().projectDetails();
  const found = projects.find((one) => one.project === name || one.aliases.includes(name));
  if (found !== undefined) return found.project;
  throw noProjects({ unknown: [name], all: projects.map(({ project }) => project) });
}

function show(context: CliContext, answer: SyncAnswer, { json }: JsonOptions, sentence?: () => string): void {
  const { io } = context;
  if (json === true) io.json(syncJson(context, answer));
  else if (sentence !== undefined) printWrapped(io, io.out, sentence());
  else if (!answer.configured) io.out(notSetUp);
  else printSync(context, answer);
}
