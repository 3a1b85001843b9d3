// What the plugin remembers of OpenCode's sessions: their parents, the last prompt, and the last text of the agent.

interface Session {
  /** The session of the agent that started this one; null for a session of the user. */
  parent: string | null;
  /** Id of the message with the last prompt; empty before the first. */
  prompt: string;
  lastSaid: string;
}

export interface Sessions {
  opened(id: string, parent: string | null): void;
  asked(id: string, prompt: string): void;
  said(id: string, text: string): void;
  closed(id: string): void;
  parentOf(id: string): string | null;
  /** The session that the user started: the first above a sub-agent. */
  rootOf(id: string): string;
  promptOf(id: string): string;
  /** What the agent said last since the prompt. */
  lastSaid(id: string): string;
}

/** Keeps the 500 sessions that were active last. */
export function createSessions(): Sessions {
  const sessions = new Map<string, Session>();
  const find = (id: string): Session => sessions.get(id) ?? { parent: null, prompt: "", lastSaid: "" };
  const change = (id: string, part: Partial<Session>): void => {
    const changed = { ...find(id), ...part };
    sessions.delete(id);
    sessions.set(id, changed);
    const [oldest] = sessions.keys();
    if (sessions.size > maxSessions && oldest !== undefined) sessions.delete(oldest);
  };
  return {
    opened: (id, parent) => change(id, { parent }),
    asked: (id, prompt) => change(id, { prompt, lastSaid: "" }),
    said: (id, lastSaid) => change(id, { lastSaid }),
    closed: (id) => sessions.delete(id),
    parentOf: (id) => find(id).parent,
    rootOf(id) {
      let root = id;
      for (let steps = 0; steps < maxDepth; steps++) root = find(root).parent ?? root;
      return root;
    },
    promptOf: (id) => find(id).prompt,
    lastSaid: (id) => find(id).lastSaid,
  };
}

const maxSessions = 500;
// Sub-agents start sub-agents.
const maxDepth = 8;
