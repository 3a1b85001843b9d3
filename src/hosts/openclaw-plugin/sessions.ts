// Sessions of the gateway: their ids in the memory, the runs that were announced, the arguments of running tools.
import type { Clock } from "../../core/clock.ts";
import { RecentMap } from "../../core/recent-map.ts";
import { isJsonObject, type Json, type JsonObject } from "../../text/json.ts";
import { objectField, textField } from "../../text/json-fields.ts";

export interface Session {
  /** `openclaw-<sessionKey>-<timestamp>`. */
  id: string;
  key: string;
  cwd: string | null;
  isSubagent: boolean;
  /** Of a sub-agent: the session that started it, if the gateway has said so. Its work belongs to that. */
  parent: Session | null;
}

/** A tool call between its start and its result. */
interface RunningTool {
  input: Json;
  runId: string;
}

export interface Sessions {
  /** The session of an event; a new one after `end` and `clear`. */
  of(event: JsonObject, context: JsonObject): Session;
  /** A session has started a sub-agent. */
  spawned(childKey: string, parentKey: string): void;
  /** Forgets the session of an event, and returns it if there is one; a sub-agent of another session ends nothing. */
  end(event: JsonObject, context: JsonObject): Session | null;
  /** True the first time for each run of an agent. */
  isNewRun(session: Session, runId: string): boolean;
  rememberTool(event: JsonObject, context: JsonObject): void;
  /** Of the call with this id, once. */
  takeTool(toolCallId: string): RunningTool | null;
  /** The result of this call was sent before the gateway wrote it down. */
  sentResult(toolCallId: string): void;
  /** True if it was, once: ids can repeat in a later turn. */
  takeSentResult(toolCallId: string): boolean;
  count(): number;
  /** The gateway has started: `cwd` is the workspace of its default agent. */
  clear(cwd: string | null): void;
}

// A gateway runs for months: only the last sessions, runs and tool calls are kept.
const maxSessions = 1_000;
const maxRuns = 1_000;
const maxTools = 256;

export function createSessions(gateway: string, clock: Clock): Sessions {
  const sessions = new RecentMap<string, Session>(maxSessions);
  const runs = new RecentMap<string, true>(maxRuns);
  const tools = new RecentMap<string, RunningTool>(maxTools);
  const results = new RecentMap<string, true>(maxTools);
  let defaultCwd: string | null = null;
  let lastStart = 0;

  function open(key: string): Session {
    // A session that is reset twice in a millisecond gets two ids.
    lastStart = Math.max(clock.now(), lastStart + 1);
    const id = `${gateway}-${key}-${lastStart}`;
    return { id, key, cwd: null, isSubagent: key.includes(":subagent:"), parent: null };
  }

  function find(key: string): Session {
    const session = sessions.get(key) ?? open(key);
    sessions.set(key, session);
    return session;
  }

  return {
    of(event, context) {
      const session = find(keyOf(event, context));
      const details = objectField(objectField(event, "message"), "details");
      session.cwd ??= textField(context, "workspaceDir") || textField(details, "cwd") || defaultCwd;
      return session;
    },
    spawned(childKey, parentKey) {
      if (childKey !== "" && parentKey !== "" && childKey !== parentKey)
        find(childKey).parent = find(parentKey);
    },
    end(event, context) {
      const key = keyOf(event, context);
      const session = sessions.get(key) ?? null;
      sessions.delete(key);
      return session?.parent === null ? session : null;
    },
    isNewRun(session, runId) {
      const run = `${session.id} ${runId}`;
      if (runId === "" || !runs.has(run)) {
        runs.set(run, true);
        return true;
      }
      return false;
    },
    sentResult: (toolCallId) => results.set(toolCallId, true),
    takeSentResult: (toolCallId) => results.delete(toolCallId),
    rememberTool(event, context) {
      const id = textField(event, "toolCallId") || textField(context, "toolCallId");
      if (id === "" || !isJsonObject(event.params)) return;
      tools.set(id, { input: event.params, runId: runOf(event, context) });
    },
    takeTool(toolCallId) {
      const tool = tools.get(toolCallId) ?? null;
      tools.delete(toolCallId);
      return tool;
    },
    count: () => sessions.size,
    clear(cwd) {
      for (const each of [sessions, runs, tools, results]) each.clear();
      defaultCwd = cwd;
    },
  };
}

/** The session that the user has: the first above a sub-agent. */
export function rootOf(session: Session): Session {
  let root = session;
  for (let steps = 0; root.parent !== null && steps < maxDepth; steps++) root = root.parent;
  return root;
}

// Sub-agents start sub-agents.
const maxDepth = 8;

/** The run of an agent that an event belongs to; "" if the event has none. */
export function runOf(event: JsonObject, context: JsonObject): string {
  return textField(event, "runId") || textField(context, "runId");
}

function keyOf(event: JsonObject, context: JsonObject): string {
  const named = (field: string) => textField(context, field) || textField(event, field);
  return named("sessionKey") || named("sessionId") || named("agentId") || "main";
}
