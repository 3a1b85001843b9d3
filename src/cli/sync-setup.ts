// `mem sync setup`: checks token and address at the hub, opens or makes the account's keys, asks which projects to sync.
import { join } from "node:path";
import { MemError } from "../core/errors.ts";
import { replacePrivateFile } from "../settings/private-file.ts";
import { setSetting } from "../settings/write.ts";
import type { AccountState, Joined } from "../sync/join.ts";
import type { JsonOptions } from "./command.ts";
import type { CliContext } from "./context.ts";
import { type Answers, answersFrom } from "./sync-answers.ts";
import { printSync, runUntilDone, syncJson } from "./sync-lines.ts";
import { askEarlier, askProjects, chooseProjects, demandProjects, projectsOf } from "./sync-projects.ts";
import { printWrapped } from "./table.ts";
import { restartWorker } from "./worker-process.ts";

export interface SetupOptions extends JsonOptions {
  hub?: string;
  user?: string;
  deviceName?: string;
  projects?: string;
  earlier?: true;
  allowHttp?: true;
  plain?: true;
  recovery?: true;
  stdin?: true;
}

/** Nothing is changed before the hub has answered and the keys are open; no record leaves before its project has a yes. */
export async function setUpSync(context: CliContext, options: SetupOptions): Promise<void> {
  const settings = context.settings("write");
  const projects = options.projects === undefined ? undefined : projectsOf(options.projects);
  const answers = await answersFrom(options, "mem sync setup");
  try {
    const hub =
      options.hub ?? (settings.get("MEM_CLOUD_SYNC_HUB_URL") || (await answers.ask("Address of the hub")));
    const userId =
      options.user ??
      (settings.get("MEM_CLOUD_SYNC_USER_ID").reveal() || (await answers.ask("User id at the hub")));
    const token = await askToken(answers, settings.get("MEM_CLOUD_SYNC_TOKEN").reveal());
    // Loaded late: only these commands and the worker talk to a hub.
    const { lookAtAccount } = await import("../sync/join.ts");
    const account = await lookAtAccount(hub, { token, userId }, { allowHttp: options.allowHttp === true });
    // Other devices may bring the projects of an account that they use.
    if (account.is === "new" && Array.isArray(projects)) await demandProjects(context, projects);
    const joined = await openAccount(context, answers, options, account);
    await storeRing(context, joined, options);
    if (options.deviceName !== undefined)
      setSetting(settings.dataDir, "MEM_CLOUD_SYNC_DEVICE_NAME", options.deviceName);
    setSetting(settings.dataDir, "MEM_CLOUD_SYNC_HUB_URL", hub);
    setSetting(settings.dataDir, "MEM_CLOUD_SYNC_USER_ID", userId);
    setSetting(settings.dataDir, "MEM_CLOUD_SYNC_TOKEN", token);
    await restartSync(context, joined, options, async () => {
      if (options.earlier === true) await context.worker().sync("earlier");
      if (projects !== undefined) await chooseProjects(context, projects, () => runUntilDone(context));
      else if (answers.isPerson) await askChoices(context, answers, options);
    });
  } finally {
    answers.close();
  }
}

// The token of the account that is set up already need not be typed again.
async function askToken(answers: Answers, present: string): Promise<string> {
  if (present === "") return await answers.secret("Token");
  return await answers.secret("Token (Enter keeps the present one)", present);
}

async function openAccount(
  { io }: CliContext,
  answers: Answers,
  options: SetupOptions,
  account: AccountState,
): Promise<Joined> {
  const { demandPlain, joinAccount, makeAccount } = await import("../sync/join.ts");
  const isPlain = options.plain === true;
  if (account.is === "plain") {
    demandPlain(isPlain);
    return { ring: { mode: "plain" }, phrase: null };
  }
  if (account.is === "new") {
    return isPlain
      ? { ring: { mode: "plain" }, phrase: null }
      : await makeAccount({ passphrase: await askNewPassphrase(answers) });
  }
  const { notices } = account;
  for (let left = answers.isPerson ? 3 : 1; ; left -= 1) {
    const given =
      options.recovery === true
        ? { recovery: await answers.secret("Recovery phrase") }
        : { passphrase: await answers.secret("Passphrase of the account") };
    try {
      return await joinAccount(notices, given);
    } catch (cause) {
      if (left === 1 || !(cause instanceof MemError)) throw cause;
      printWrapped(io, io.err, cause.message);
    }
  }
}

/** Asks twice, and again until it is long enough. */
export async function askNewPassphrase(answers: Answers): Promise<string> {
  const { passphraseProblem } = await import("../sync/account-key.ts");
  return await answers.newSecret("New passphrase of the account", passphraseProblem);
}

async function askChoices(context: CliContext, answers: Answers, { earlier }: SetupOptions): Promise<void> {
  const answer = await context.worker().syncStatus();
  if (!answer.configured) return;
  const choice = await askProjects(context, answers, answer);
  if (choice === undefined) return;
  if (
    choice !== "none" &&
    earlier !== true &&
    answer.earlierStaysSince !== null &&
    answer.projects.length > 0
  ) {
    if (await askEarlier(answers, answer.earlierStaysSince)) await context.worker().sync("earlier");
  }
  await chooseProjects(context, choice, () => runUntilDone(context));
}

/** Stores the keys, and shows a new phrase before anything can fail. */
export async function storeRing(
  context: CliContext,
  { ring, phrase }: Joined,
  { json }: JsonOptions,
): Promise<void> {
  const { renderRing, ringFile } = await import("../sync/key-ring.ts");
  const path = join(context.settings("write").dataDir, ringFile);
  replacePrivateFile(path, "settings_unreadable", () => renderRing(ring));
  if (phrase !== null && json !== true) showPhrase(context, phrase);
}

/** Restarts the worker with the keys and settings, and syncs. JSON has the phrase also when that fails. */
export async function restartSync(
  context: CliContext,
  { phrase }: Joined,
  { json }: JsonOptions,
  choose: () => Promise<void> = async () => undefined,
): Promise<void> {
  const { io, environment, clock } = context;
  const { dataDir } = context.settings("write");
  let answer: Record<string, unknown> = {};
  try {
    await restartWorker({ dataDir, environment, clock });
    await choose();
    const state = await runUntilDone(context);
    answer = syncJson(context, state);
    if (json !== true && state.configured) printSync(context, state);
  } finally {
    if (json === true) io.json({ ...answer, recovery_phrase: phrase });
  }
}

function showPhrase({ io }: CliContext, phrase: string): void {
  printWrapped(
    io,
    io.out,
    "Recovery phrase of the account, shown only now. Write it down: it opens the account when the passphrase is lost.",
  );
  io.out("");
  printWrapped(io, io.out, `  ${phrase}`);
  io.out("");
}
