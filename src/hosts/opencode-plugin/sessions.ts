// What the plugin remembers of OpenCode's sessions: their parents, the last prompt, and the last text of the agent.
import { RecentMap } from "../../core/recent-map.ts";

interface Session {
  /** The session of the agent that started this one; null for a session of the user. */
  parent: string | null;
  /** Id of the message with the last prompt; empty before the first. */
  prompt: string;
  lastSaid: string;
  createdMs: number;
  /** It began with messages of another session, and with the context in them. */
  isCopy: boolean;
}

export interface Sessions {
  opened(id: string, parent: string | null, createdMs: number): void;
  /** A message of that age is in the session. */
  has(id: string, messageMs: number): void;
  asked(id: string, prompt: string): void;
  said(id: string, text: string): void;
  closed(id: string): void;
  parentOf(id: string): string | null;
  /** True before the first prompt of a session that is a copy. */
  isCopy(id: string): boolean;
  /** The session that the user started: the first above a sub-agent. */
  rootOf(id: string): string;
  promptOf(id: string): string;
  /** What the agent said last since the prompt. */
  lastSaid(id: string): string;
}

/** Keeps the 500 sessions that were active last. */
export function createSessions(): Sessions {
  const sessions = new RecentMap<string, Session>(maxSessions);
  const find = (id: string): Session => sessions.get(id) ?? unknown;
  const change = (id: string, part: Partial<Session>): void => {
    sessions.set(id, { ...find(id), ...part });
  };
  return {
    opened: (id, parent, createdMs) => change(id, { parent, createdMs }),
    has(id, messageMs) {
      if (messageMs < find(id).createdMs) change(id, { isCopy: true });
    },
    asked: (id, prompt) => change(id, { prompt, lastSaid: "" }),
    said: (id, lastSaid) => change(id, { lastSaid }),
    closed: (id) => sessions.delete(id),
    parentOf: (id) => find(id).parent,
    isCopy: (id) => find(id).isCopy && find(id).prompt === "",
    rootOf(id) {
      let root = id;
      for (let steps = 0; steps < maxDepth; steps++) root = find(root).parent ?? root;
      return root;
    },
    promptOf: (id) => find(id).prompt,
    lastSaid: (id) => find(id).lastSaid,
  };
}

const unknown: Session = { parent: null, prompt: "", lastSaid: "", createdMs: Number.NaN, isCopy: false };
const maxSessions = 500;
// Sub-agents start sub-agents.
const maxDepth = 8;
