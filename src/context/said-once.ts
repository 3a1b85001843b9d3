// What a reader was told of a file already: the same words before every read of it would only cost tokens.
import { contentKey } from "../ids.ts";

/** Whose context the words go into: a sub-agent works in its parent's session and reads with eyes of its own. */
export interface Told {
  sessionId: string;
  agentId: string | null;
  path: string;
}

export interface SaidOnce {
  /** `text`, or null when exactly that was the last thing said about this path to this reader. */
  say(told: Told, text: string | null): string | null;
  /** The session's context begins anew (start, clear, compaction): all may be said again. */
  forget(sessionId: string): void;
}

// In memory only: after a restart, and past these, a text is said once more. About 200 bytes each, so 3 MB at the most.
const mostKept = { sessions: 64, texts: 256 };

export function createSaidOnce(most = mostKept): SaidOnce {
  /** Both maps: least recently used first. */
  const sessions = new Map<string, Map<string, string>>();

  return {
    say({ sessionId, agentId, path }, text) {
      if (text === null) return null;
      const said = sessions.get(sessionId) ?? new Map<string, string>();
      const key = contentKey(agentId ?? "", path);
      const hash = contentKey(text);
      const isKnown = said.get(key) === hash;
      keepNewest(said, { key, value: hash, most: most.texts });
      keepNewest(sessions, { key: sessionId, value: said, most: most.sessions });
      return isKnown ? null : text;
    },
    forget: (sessionId) => void sessions.delete(sessionId),
  };
}

// A map keeps the order of insertion: what is put in again stands last, and the first is the oldest.
function keepNewest<V>(
  map: Map<string, V>,
  { key, value, most }: { key: string; value: V; most: number },
): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}
