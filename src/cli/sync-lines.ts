// The state of sync as lines, and a run with progress.
import type { Health, SyncAnswer } from "../client/worker-client.ts";
import { terminalLine } from "../text/terminal-text.ts";
import type { CliContext } from "./context.ts";
import { printRecord } from "./table.ts";
import { ageInWords, counted, localDate } from "./words.ts";

export type ConfiguredSync = Extract<SyncAnswer, { configured: true }>;

const states: Record<string, string> = {
  off: "not started",
  idle: "up to date",
  waiting: "about to push",
  pushing: "pushing",
  pulling: "pulling",
  backoff: "waiting before the next attempt",
  paused: "paused",
  suspended: "sleeping: no session for an hour",
  stopped: "stopped",
};

const remedies: Record<string, string> = {
  unauthorized: "The hub refuses the token. Set up again: `mem sync setup`.",
  wrong_account: "Token and user id belong to different accounts: `mem sync setup`.",
  device_limit:
    "The account has 64 devices. On the hub: `mem hub account devices <account> --remove <device>`.",
  bad_address: "The address is not one of a hub: `mem sync setup --hub <url>`.",
  key_missing: "This device lacks the account's key. Enter the passphrase: `mem sync setup`.",
};

export type SyncHealth = NonNullable<Health["sync"]>;

/** `up to date, live; 3 records to push; 1 operation failed`. */
export function syncInWords(health: SyncHealth): string {
  const { state, live, waiting, failed } = health;
  const problem = problemOf(health);
  const parts = [
    `${states[state] ?? state}${live ? ", live" : ""}`,
    ...(waiting === 0 ? [] : [`${counted(waiting, "record")} to push`]),
    ...(failed === 0 ? [] : [`${counted(failed, "operation")} failed`]),
    ...(problem === null ? [] : [problem]),
  ];
  return parts.join("; ");
}

// The remedy says the same, except for an address: why it is not one of a hub.
function problemOf({ reason, lastError }: Pick<SyncHealth, "reason" | "lastError">): string | null {
  return lastError === null || (reason !== null && reason !== "bad_address") ? null : terminalLine(lastError);
}

/** What the user can do about it; undefined when nothing is wrong. */
export function syncRemedy({ state, reason, failed, lastError }: SyncHealth): string | undefined {
  if (reason !== null) return remedies[reason] ?? "`mem sync status`";
  if (state === "paused") return "Go on: `mem sync resume`.";
  if (failed > 0) return "See why: `mem sync status`. Try again: `mem sync now`.";
  return lastError === null ? undefined : "Try now: `mem sync now`.";
}

/** The answer with names in snake_case, as every `--json`, and the address of the hub. */
export function syncJson({ settings }: CliContext, answer: SyncAnswer): Record<string, unknown> {
  if (!answer.configured) return { configured: false };
  const { deviceId, deviceName, lastFlushAt, lastError, otherProjects, earlierStaysSince, hub, ...rest } =
    answer;
  const { checkedAt, headSeq, deviceCount, ...probe } = hub;
  return {
    ...rest,
    device_id: deviceId,
    device_name: deviceName,
    last_flush_at_epoch: lastFlushAt,
    last_error: lastError,
    other_projects: otherProjects,
    earlier_stays_since_epoch: earlierStaysSince,
    hub: {
      url: settings("read").get("MEM_CLOUD_SYNC_HUB_URL"),
      ...probe,
      checked_at_epoch: checkedAt,
      head_seq: headSeq,
      device_count: deviceCount,
    },
  };
}

/** Prints the state of sync, as wide as the terminal. */
export function printSync({ io, clock, settings }: CliContext, answer: ConfiguredSync): void {
  const { state, reason, hub, pending, lastFlushAt, failed, projects } = answer;
  const problem = problemOf(answer);
  const chosen = projects
    .filter(({ synced }) => synced ?? answer.otherProjects)
    .map(({ project }) => project);
  const behind = hub.headSeq === null ? 0n : BigInt(hub.headSeq) - BigInt(hub.cursor);
  const toRead = behind > 0n ? `, ${counted(Number(behind), "operation")} to read` : "";
  const next = reason === null ? undefined : (remedies[reason] ?? reason);
  const since = chosen.length === 0 ? null : answer.earlierStaysSince;
  printRecord(io, [
    ["Sync", `${states[state] ?? state}${answer.live ? ", live" : ""}`],
    ...rowIf(state === "paused" ? "Go on: `mem sync resume`." : next),
    ["Hub", `${terminalLine(settings("read").get("MEM_CLOUD_SYNC_HUB_URL"))}${hubInWords(hub)}`],
    [
      "Account",
      `${terminalLine(answer.account)}, ${answer.encrypted ? "encrypted" : "not encrypted: the hub can read it"}`,
    ],
    ["Device", `${terminalLine(answer.deviceName)} ${answer.deviceId ?? "(no id before the first contact)"}`],
    ["Waiting", `${counted(pending.total, "record")} to push${toRead}`],
    ["Pushed", lastFlushAt === null ? "not yet" : ageInWords(lastFlushAt, clock.now())],
    [
      "Projects",
      chosen.length === 0
        ? "none: `mem project sync on <name>`, or `mem project sync on` for all"
        : chosen.map(terminalLine).join(", "),
    ],
    ...rowIf(since === null ? undefined : earlierStay(since)),
    ...rowIf(problem === null || problem === hub.error ? undefined : problem, "Problem"),
    ...failed
      .slice(0, 5)
      .map(
        ({ kind, id, reason }) => ["Failed", `${kind} ${terminalLine(id)}: ${terminalLine(reason)}`] as const,
      ),
    ...rowIf(
      failed.some(({ direction }) => direction === "push") ? "Try them again: `mem sync now`." : undefined,
    ),
  ]);
}

function rowIf(text: string | undefined, label = ""): (readonly [string, string])[] {
  return text === undefined ? [] : [[label, text]];
}

function hubInWords({ reachable, error }: ConfiguredSync["hub"]): string {
  if (error !== null) return `: ${terminalLine(error)}`;
  return reachable ? " answers" : " does not answer";
}

/** Says that records from before the first setup stay here, and how they leave. */
export function earlierStay(since: number): string {
  return `Records from before the setup (${localDate(new Date(since))}) stay here. To sync them: \`mem sync earlier\`.`;
}

/** Runs until nothing waits, the hub fails or nothing moves any more. */
export async function runUntilDone(context: CliContext): Promise<SyncAnswer> {
  const { io } = context;
  let before = "";
  for (;;) {
    const answer = await context.worker().sync("now");
    if (!answer.configured) return answer;
    const { progress, pending, hub } = answer;
    if (progress !== null && io.talksToTerminal) {
      io.err(`${progress.direction === "push" ? "Pushed" : "Read"} ${progress.done} of ${progress.total}`);
    }
    const now = `${pending.total} ${hub.cursor}`;
    if (now === before || answer.lastError !== null || answer.reason !== null) return answer;
    if (pending.total === 0 && hub.headSeq === hub.cursor) return answer;
    before = now;
  }
}
