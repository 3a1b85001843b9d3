// What a page has read so far: loading, ready or failed; it reads again on demand, and stops when the page is left.
import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { StreamEvent } from "../core/records/events.ts";
import { type ApiFault, faultOf, isAborted } from "./faults.ts";
import { Prose } from "./parts/command.tsx";
import { useViewer } from "./viewer.ts";

export interface Loaded<T> {
  /** The last answer; undefined before the first one. */
  value: T | undefined;
  fault: ApiFault | undefined;
  isLoading: boolean;
  reload(): void;
  /** Replaces the answer by what an action of the user returned. */
  replace(value: T): void;
}

/**
 * Runs `read` now and whenever `deps` change; the call before is aborted. The last answer stays until the next one is
 * there, unless `deps` name another thing: then pass `{ clears: true }`.
 */
export function useLoaded<T>(
  read: (signal: AbortSignal) => Promise<T>,
  deps: readonly unknown[],
  { clears = false } = {},
): Loaded<T> {
  const [value, setValue] = useState<T>();
  const [fault, setFault] = useState<ApiFault>();
  const [isLoading, setIsLoading] = useState(true);
  const running = useRef<AbortController | undefined>(undefined);

  function load(): AbortController {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    setIsLoading(true);
    read(controller.signal)
      .then((answer) => {
        if (controller.signal.aborted) return;
        setValue(answer);
        setFault(undefined);
        setIsLoading(false);
      })
      .catch((error: unknown) => {
        if (controller.signal.aborted || isAborted(error)) return;
        setFault(faultOf(error));
        setIsLoading(false);
      });
    return controller;
  }

  useEffect(() => {
    if (clears) setValue(undefined);
    const controller = load();
    return () => controller.abort();
  }, deps);

  const reload = useCallback(() => void load(), deps);
  return { value, fault, isLoading, reload, replace: setValue };
}

/** True once there is an answer or a failure: what stands below no longer moves when it comes in. */
export function isSettled({ value, fault }: Loaded<unknown>): boolean {
  return value !== undefined || fault !== undefined;
}

// Many records can come in one second.
const pauseMs = 500;

/** Calls `reload` after events that concern it, at most twice a second, and when the stream is back after a gap. */
export function useReloadOn(reload: () => void, concerns: (event: StreamEvent) => boolean): void {
  const { stream } = useViewer();
  const latest = useRef({ reload, concerns });
  latest.current = { reload, concerns };
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const later = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        latest.current.reload();
      }, pauseMs);
    };
    const stops = [
      stream.listen((event) => {
        if (latest.current.concerns(event)) later();
      }),
      stream.onResync(later),
    ];
    return () => {
      clearTimeout(timer);
      for (const stop of stops) stop();
    };
  }, [stream]);
}

/** The answer when it is there; before that a quiet line, or the failure with its next step. */
export function Shown<T>({
  of: { value, fault, reload },
  children,
}: {
  of: Loaded<T>;
  children: (value: T) => ComponentChildren;
}) {
  if (value !== undefined)
    return (
      <>
        {fault && <Fault fault={fault} retry={reload} />}
        {children(value)}
      </>
    );
  if (fault !== undefined) return <Fault fault={fault} retry={reload} />;
  return <p class="quiet loading">Loading…</p>;
}

/** A failure: what happened, the next step, and a button that tries again. */
export function Fault({ fault, retry }: { fault: ApiFault; retry?: () => void }) {
  return (
    <div class="fault" role="alert">
      <p>
        <Prose text={fault.message} />
      </p>
      {fault.hint && (
        <p class="quiet">
          <Prose text={fault.hint} />
        </p>
      )}
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}
