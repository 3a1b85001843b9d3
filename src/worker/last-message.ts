// What hosts report in an earlier event or only in a transcript: the agent's last message at the end of a turn, and exit codes.
import { closeSync, constants, existsSync, fstatSync, openSync, readSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join, sep } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { failOpen, failOpenSync } from "../core/errors.ts";
import { shorten } from "../core/shorten.ts";
import type { Host, HostEvent, Transcripts } from "../hosts/host-event.ts";

export interface LastMessages {
  /**
   * The event; the end of a turn with its message, a command with its exit code. Waits up to half a second for a transcript that is being written. Call
   * it with the events of a session in their order.
   */
  fill(host: Host, event: HostEvent): HostEvent | Promise<HostEvent>;
}

type ToolUse = Extract<HostEvent, { kind: "tool_use" }>;

const maxSessions = 100;
const maxMessageChars = 65_536;

/** `environment` and the records name the folders of hosts. Messages are kept in memory until the next prompt. */
export function createLastMessages(
  environment: Readonly<Record<string, string | undefined>>,
  recorded: (host: string) => readonly string[] = () => [],
): LastMessages {
  const said = new Map<string, string>();

  function foldersOf(host: string, { folder, folderVariable }: Transcripts): string[] {
    return [environment[folderVariable] ?? "", join(homedir(), folder), ...recorded(host)];
  }

  function withExitCode(host: Host, event: ToolUse): ToolUse {
    const { exitCodeIn, toolResponse } = event;
    const { transcripts } = host;
    if (exitCodeIn === undefined || transcripts === undefined) return event;
    const { path, id } = exitCodeIn;
    const find = (text: string) => transcripts.exitCode?.(text, id) ?? null;
    const exit_code = failOpenSync("read an exit code", () =>
      inTranscript(path, foldersOf(host.name, transcripts), find),
    );
    if (typeof exit_code !== "number") return event;
    return { ...event, failed: exit_code !== 0, toolResponse: { output: toolResponse, exit_code } };
  }

  function remember(session: string, text: string): void {
    said.delete(session);
    said.set(session, shorten(text, maxMessageChars));
    const [oldest] = said.keys();
    if (said.size > maxSessions && oldest !== undefined) said.delete(oldest);
  }

  return {
    fill(host, event) {
      const key = keyOf(host.name, event.sessionId);
      if (event.kind === "prompt" || event.kind === "session_end") said.delete(key);
      if (event.kind === "agent_message") remember(key, event.text);
      if (event.kind === "tool_use") return withExitCode(host, event);
      if (event.kind !== "turn_end" || event.lastAssistantMessage !== "") return event;
      const { transcript } = event;
      const { transcripts } = host;
      const { lastMessage } = transcripts ?? {};
      if (transcripts === undefined || transcript === undefined || lastMessage === undefined) {
        return { ...event, lastAssistantMessage: said.get(key) ?? "" };
      }
      const { path, untilEpochMs } = transcript;
      const folders = foldersOf(host.name, transcripts);
      const read = () => inTranscript(path, folders, (text) => lastMessage(text, untilEpochMs));
      return fromTranscript(read).then((lastAssistantMessage) => ({ ...event, lastAssistantMessage }));
    },
  };
}

const waitMs = 500;
const lookEveryMs = 50;

// The host waits for the hook meanwhile.
async function fromTranscript(read: () => string | null | undefined): Promise<string> {
  for (let waited = 0; waited <= waitMs; waited += lookEveryMs) {
    const found = await failOpen("read a transcript", async () => read());
    if (found !== null) return shorten(found ?? "", maxMessageChars);
    await delay(lookEveryMs);
  }
  return "";
}

function keyOf(host: string, session: string): string {
  return `${host} ${session}`;
}

// Both stand at the end of the file.
const tailBytes = 524_288;

/** Undefined for a file outside the host's folders, null before the host has written it. */
function inTranscript<T>(
  path: string,
  folders: readonly string[],
  read: (text: string) => T,
): T | null | undefined {
  // A host can report the end of its first turn before it makes the file.
  if (!existsSync(path)) return null;
  // Any program of the user can send a path: nothing outside the host's folder is read.
  const file = realpathSync(path);
  const isInside = folders.some((one) => {
    if (one === "") return false;
    const real = failOpenSync("find a host's folder", () => realpathSync(one));
    return real !== undefined && file.startsWith(real + sep);
  });
  return isInside ? read(readTail(file)) : undefined;
}

function readTail(path: string): string {
  const { O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY } = constants;
  const descriptor = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return "";
    const start = Math.max(0, stats.size - tailBytes);
    const bytes = Buffer.alloc(stats.size - start);
    return bytes.toString("utf8", 0, readSync(descriptor, bytes, 0, bytes.length, start));
  } finally {
    closeSync(descriptor);
  }
}
