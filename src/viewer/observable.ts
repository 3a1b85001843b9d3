// A value that components follow: read, replace, listen.
import { useEffect, useState } from "preact/hooks";

/** One value and its listeners. */
export interface Observable<T> {
  get(): T;
  /** Replaces the value; listeners run if it is another one. */
  set(value: T): void;
  /** Calls `listener` after each change; returns the function that stops it. */
  listen(listener: (value: T) => void): () => void;
}

export function createObservable<T>(first: T): Observable<T> {
  let current = first;
  const listeners = new Set<(value: T) => void>();
  return {
    get: () => current,
    set(value) {
      if (Object.is(value, current)) return;
      current = value;
      for (const listener of [...listeners]) listener(value);
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The present value; the component renders again when it changes. */
export function useValue<T>(observable: Observable<T>): T {
  const [, render] = useState<unknown>();
  const value = observable.get();
  useEffect(() => {
    // It may have changed between rendering and this effect.
    if (!Object.is(observable.get(), value)) render({});
    return observable.listen(() => render({}));
  }, [observable]);
  return value;
}
