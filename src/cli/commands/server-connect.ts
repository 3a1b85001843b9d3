// `mem server connect` and `disconnect`: accepted records of chosen projects go to a team's server too.
import type { Command } from "commander";
import type { TeamStatus } from "../../client/sharing-routes.ts";
import { MemError } from "../../core/errors.ts";
import { setSetting } from "../../settings/write.ts";
import { terminalLine } from "../../text/terminal-text.ts";
import { addCommand, type JsonOptions, jsonOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import { answersFrom } from "../sync-answers.ts";
import { printRecord, printWrapped } from "../table.ts";
import { noProjects, presentProjects } from "../unknown-project.ts";
import { ageInWords, counted } from "../words.ts";
import { restartWorker } from "../worker-process.ts";

interface ConnectOptions extends JsonOptions {
  url?: string;
  key?: string;
  project?: string;
  as?: string;
  earlier?: true;
  allowHttp?: true;
  stdin?: true;
}

/** Adds `mem server connect` and `mem server disconnect`. */
export function registerServerConnect(server: Command, context: CliContext): void {
  addCommand(server, context, {
    name: "connect",
    about: "Send accepted records of a project to a team's server too",
    options: [
      ["--url <url>", "address of the team's server"],
      ["--key <key>", "API key with `memories:read` and `memories:write`"],
      ["--project <names>", "projects here, with commas; else that of this folder"],
      ["--as <name>", "name of the project on the server, where it differs"],
      ["--earlier", "records from before now too"],
      ["--allow-http", "take a plain http address in a private network you trust"],
      ["--stdin", "read the key as a line from stdin"],
      jsonOption,
    ],
    notes: `Observations and summaries go there; prompts, private text, routine steps,
rejected and replaced records do not. What is deleted here is deleted there.
What the team deletes does not return. Without options: what is sent, and what
waits. The team can read what it gets. Search it with \`mem search --team\`.`,
    examples: ["mem server connect --url https://mem.example.com", "mem server connect # what is sent"],
    run: (options: ConnectOptions) => connect(context, options),
  });
  addCommand(server, context, {
    name: "disconnect",
    about: "Stop sending a project's records to the team",
    arguments: [["[project]", "a name from `mem server connect`"]],
    options: [["--all", "every project; address and key are removed from this device"], jsonOption],
    notes: `What the team has stays there; what you delete here is still deleted there, but
not after --all: without address and key nothing is sent. The key stays valid:
revoke it on the server.`,
    examples: ["mem server disconnect shop", "mem server disconnect --all # address and key too"],
    run: async (project: string | undefined, { all, ...options }: JsonOptions & { all?: true }) => {
      if ((project === undefined) !== (all === true))
        throw new MemError("usage", {
          message: "Name one project, or all of them.",
          hint: "`mem server disconnect <project>`, or `mem server disconnect --all`.",
        });
      if (project === undefined) return await disconnectAll(context, options);
      const status = await context.worker().disconnectTeam(project);
      show(context, status, options, `Records of ${terminalLine(project)} stay on this device from now on.`);
    },
  });
}

async function disconnectAll(context: CliContext, options: JsonOptions): Promise<void> {
  for (const { project } of (await context.worker().teamStatus()).projects)
    await context.worker().disconnectTeam(project);
  const { dataDir } = context.settings("write");
  setSetting(dataDir, "MEM_TEAM_SERVER_URL", "");
  setSetting(dataDir, "MEM_TEAM_SERVER_KEY", "");
  const { environment, clock } = context;
  await restartWorker({ dataDir, environment, clock });
  show(context, await context.worker().teamStatus(), options, "Address and key are removed.");
}

async function connect(context: CliContext, options: ConnectOptions): Promise<void> {
  const { url, key, project, as, earlier, stdin } = options;
  if ([url, key, project, as, earlier, stdin].every((each) => each === undefined))
    return show(context, await context.worker().teamStatus(), options);
  const settings = context.settings("write");
  const projects = await projectsOf(context, options);
  const address = url ?? settings.get("MEM_TEAM_SERVER_URL");
  if (address === "")
    throw new MemError("usage", { message: "The team's server is missing.", hint: "Name it with `--url`." });
  const secret = key ?? (await askKey(options, settings.get("MEM_TEAM_SERVER_KEY").reveal()));
  // Loaded late: only this command and the worker talk to a team's server.
  const { joinTeam } = await import("../../sync/team-join.ts");
  const wanted = { url: address, key: secret, allowHttp: options.allowHttp === true };
  const before = await context.worker().teamStatus();
  const { team_id, projects: joined } = await joinTeam({
    ...wanted,
    projects: projects.map((name) => as ?? name),
    demandTeam: (id) => demandOneTeam(before, id, projects),
  });
  setSetting(settings.dataDir, "MEM_TEAM_SERVER_URL", address);
  setSetting(settings.dataDir, "MEM_TEAM_SERVER_KEY", secret);
  const { environment, clock } = context;
  await restartWorker({ dataDir: settings.dataDir, environment, clock });
  for (const [at, name] of projects.entries()) {
    const team_project = joined[at]?.name ?? name;
    await context.worker().connectTeam({ project: name, team_project, team_id, earlier: earlier === true });
  }
  const made = joined.filter(({ isNew }) => isNew).map(({ name }) => terminalLine(name));
  const news = made.length === 0 ? undefined : `Made on the server: ${made.join(", ")}.`;
  show(context, await sendAll(context), options, news);
}

/** Throws when other projects go to another team: connecting would redirect them unasked. */
function demandOneTeam(before: TeamStatus, id: string, wanted: readonly string[]): void {
  if (before.team_id === null || before.team_id === id) return;
  const others = before.projects.map(({ project }) => project).filter((name) => !wanted.includes(name));
  const [first] = others;
  if (first === undefined) return;
  throw new MemError("conflict", {
    message: `The key belongs to another team than the one that gets ${others.map(terminalLine).join(", ")}.`,
    hint: `A device sends to one team. Disconnect first: \`mem server disconnect ${terminalLine(first)}\`.`,
  });
}

async function projectsOf(context: CliContext, { project, as }: ConnectOptions): Promise<string[]> {
  const named = (project ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const names = named.length > 0 ? named : await context.worker().projectsOf([process.cwd()]);
  if (as !== undefined && names.length > 1)
    throw new MemError("usage", {
      message: "`--as` names one project on the server, and `--project` several here.",
      hint: "Connect them one by one, or leave `--as` out.",
    });
  const found = await presentProjects(context.worker(), names);
  if (found.unknown.length > 0) throw noProjects(found);
  return found.known;
}

async function askKey({ stdin }: ConnectOptions, present: string): Promise<string> {
  if (present !== "" && stdin === undefined) return present;
  const answers = await answersFrom(stdin === undefined ? {} : { stdin }, "mem server connect");
  try {
    return await answers.secret("API key of the team's server");
  } finally {
    answers.close();
  }
}

/** Sends until nothing waits, the server fails or nothing moves any more. */
async function sendAll(context: CliContext): Promise<TeamStatus> {
  const { io } = context;
  for (let before = Number.POSITIVE_INFINITY; ; ) {
    const status = await context.worker().sendToTeam();
    const { waiting, last_error } = status;
    if (waiting === 0 || waiting >= before || last_error !== null) return status;
    if (io.talksToTerminal) io.err(`${counted(waiting, "record")} to send`);
    before = waiting;
  }
}

const remedies: Record<string, string> = {
  wrong_account: "Connect the projects again: `mem server connect --project <name>`.",
  unauthorized: "Give another key: `mem server connect --key <key>`.",
  read_only: "Use a key with `memories:write`: `mem server connect --key <key>`.",
  bad_address: "Give another address: `mem server connect --url <url>`.",
};

function show(context: CliContext, status: TeamStatus, { json }: JsonOptions, news?: string): void {
  const { io, clock } = context;
  if (json === true) {
    io.json(status);
    return;
  }
  if (news !== undefined) printWrapped(io, io.out, news);
  if (status.configured) printRecord(io, teamRows(status, clock.now()));
  else printWrapped(io, io.out, nothingSent);
}

const nothingSent =
  "Nothing goes to a team. To send a project's records: `mem server connect --url <url> --key <key> --project <name>`.";

function teamRows(status: TeamStatus, now: number): (readonly [string, string])[] {
  const { projects, waiting, shared, deleted_by_team, last_sent_at_epoch: at } = status;
  const { reason, last_error, refused } = status;
  return [
    ["Server", terminalLine(status.url)],
    ...(projects.length === 0
      ? [["Projects", "none: `mem server connect --project <name>`"] as const]
      : projects.map((each, at) => [at === 0 ? "Projects" : "", projectWords(each)] as const)),
    [
      "Sent",
      `${counted(shared, "record")} of this device${at === null ? "" : `, last ${ageInWords(at, now)}`}`,
    ],
    ["Waiting", counted(waiting, "change")],
    ...(deleted_by_team === 0
      ? []
      : [["Deleted", `${counted(deleted_by_team, "record")} by the team`] as const]),
    ...(last_error === null ? [] : [["Problem", terminalLine(last_error)] as const]),
    ...(reason === null ? [] : [["", remedies[reason] ?? reason] as const]),
    ...refused
      .slice(0, 5)
      .map(
        ({ kind, record_id, reason: why }) =>
          ["Refused", `${kind} #${record_id}: ${terminalLine(why)}`] as const,
      ),
  ];
}

function projectWords({
  project,
  team_project,
  since_epoch,
  problem,
}: TeamStatus["projects"][number]): string {
  const name = terminalLine(project);
  const target = team_project === project ? "" : ` as ${terminalLine(team_project)}`;
  const since = since_epoch === 0 ? "" : `, since ${new Date(since_epoch).toLocaleDateString("sv")}`;
  return `${name}${target}${since}${problem === null ? "" : `. ${terminalLine(problem)}`}`;
}
