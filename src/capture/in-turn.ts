// Keeps the events of a session in the order in which they came, though a large one is cleaned elsewhere first.

/**
 * Runs `take` for an event of the session. What comes behind a large event of the same session waits for it; all else
 * begins immediately.
 */
export type InTurn = <T>(session: string, isLarge: boolean, take: () => Promise<T>) => Promise<T>;

export function createInTurn(): InTurn {
  const last = new Map<string, Promise<unknown>>();
  return (session, isLarge, take) => {
    const before = last.get(session);
    if (before === undefined && !isLarge) return take();
    const taken = before === undefined ? take() : before.then(take);
    const settled = taken.then(forget, forget);
    last.set(session, settled);
    return taken;

    function forget(): void {
      if (last.get(session) === settled) last.delete(session);
    }
  };
}
