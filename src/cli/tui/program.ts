// The interactive program: ties terminal, state, effects and live stream together, and ends them in the right order.
import { followEvents } from "../../client/live-events.ts";
import type { WorkerClient } from "../../client/worker-client.ts";
import type { Clock } from "../../core/clock.ts";
import { createEffects, faultOf } from "./effects.ts";
import { frameOf } from "./frame.ts";
import { createKeyboard } from "./keys.ts";
import { lineText } from "./lines.ts";
import { createPainter } from "./painter.ts";
import { type Effect, initialState, type ProgramEvent, type Said, type State } from "./state.ts";
import { createOwnedTerminal, interceptEnds, type OwnedTerminal, type Terminal } from "./terminal.ts";
import { update } from "./update.ts";

export interface ProgramOptions {
  worker: WorkerClient;
  dataDir: string;
  clock: Clock;
  terminal: Terminal;
  color: boolean;
  /** True for the live feed alone. */
  feedOnly: boolean;
  project?: string;
  /** Types of observations in the active mode. */
  types(): Promise<readonly string[]>;
  /** Edits an observation on the normal screen; what happened. */
  edit(id: number): Promise<Said>;
}

// Ages are shown to the minute.
const tickMs = 20_000;

/**
 * Runs until the user quits. Restores the terminal on every way out; then throws what ended it, and ends the process
 * with a signal that it got.
 */
export async function runProgram(options: ProgramOptions): Promise<void> {
  const owned = createOwnedTerminal(options.terminal);
  const ended = createEnd();
  const restoreEnds = interceptEnds(ended.by);
  const stdinGone = () => ended.by(null);
  options.terminal.stdin.once("end", stdinGone).once("error", stdinGone);
  process.once("exit", owned.leave);
  const session = openSession(options, owned, ended.by);
  const end = await ended.how;
  await session.close();
  owned.leave();
  process.off("exit", owned.leave);
  options.terminal.stdin.off("end", stdinGone).off("error", stdinGone);
  options.terminal.stdin.pause();
  restoreEnds();
  if (end === null) return;
  if ("fault" in end) throw end.fault;
  process.kill(process.pid, end.signal);
}

type End = { signal: NodeJS.Signals } | { fault: unknown } | null;

/** The first end counts. */
function createEnd() {
  let by: (end: End) => void = () => undefined;
  const how = new Promise<End>((resolve) => {
    by = resolve;
  });
  return { how, by: (end: End) => by(end) };
}

function openSession(options: ProgramOptions, owned: OwnedTerminal, end: (how: End) => void) {
  const { worker, dataDir, clock, terminal, feedOnly, project } = options;
  const stopped = new AbortController();
  const own = { size: owned.size(), nowEpochMs: clock.now(), feedOnly };
  const store = createStore(initialState({ ...own, ...(project !== undefined && { project }) }), run);
  const { dispatch } = store;
  const effects = createEffects({ worker, clock, types: options.types, dispatch });
  const screen = createScreen({ options, owned, store, isOver: () => stopped.signal.aborted });

  function run(effect: Effect): void {
    switch (effect.do) {
      case "quit":
        end(null);
        return;
      case "redraw":
        screen.redraw();
        return;
      case "suspend":
        screen.suspend();
        return;
      case "edit":
        void screen
          .leaveFor(() => options.edit(effect.id))
          .then((said) => dispatch({ is: "done", said }))
          .catch((error: unknown) => dispatch({ is: "refused", fault: faultOf(error) }));
        return;
      default:
        effects.run(effect);
    }
  }

  const resized = () => dispatch({ is: "resized", size: owned.size() });
  terminal.stdout.on("resize", resized);
  const tick = setInterval(() => dispatch({ is: "tick", nowEpochMs: clock.now() }), tickMs);
  const following = followEvents({
    dataDir,
    signal: stopped.signal,
    onEvent: (event) => dispatch({ is: "live", event }),
    onConnection: (connection, hasGap) => dispatch({ is: "connection", connection, hasGap }),
  }).catch((fault: unknown) => end({ fault }));
  screen.show();
  return {
    async close(): Promise<void> {
      stopped.abort();
      clearInterval(tick);
      terminal.stdout.off("resize", resized);
      effects.close();
      screen.close();
      await following;
    },
  };
}

type ProgramStore = ReturnType<typeof createStore>;

/** Holds the state: each event goes through the reducer, and its effects to `run`. */
function createStore(first: State, run: (effect: Effect) => void) {
  const listeners = new Set<() => void>();
  let state = first;
  return {
    state: () => state,
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    dispatch(event: ProgramEvent): void {
      const step = update(state, event);
      const isChanged = step.state !== state;
      state = step.state;
      if (isChanged) for (const listener of listeners) listener();
      for (const effect of step.effects) run(effect);
    },
  };
}

interface ScreenOptions {
  options: Pick<ProgramOptions, "terminal" | "color">;
  owned: OwnedTerminal;
  store: ProgramStore;
  /** True when the program ends: the screen stays away. */
  isOver(): boolean;
}

/**
 * Shows the program on the terminal, and gives the terminal to others meanwhile. ink draws none of it: at 200x50 a frame
 * of ink took 100 ms, and ink 6.8 clears the terminal and its scrollback for each frame of full height.
 */
function createScreen({ options: { terminal, color }, owned, store, isOver }: ScreenOptions) {
  const painter = createPainter((text) => terminal.stdout.write(text));
  const keyboard = createKeyboard(terminal.stdin, store.dispatch);
  let isShown = false;
  let scheduled: NodeJS.Immediate | undefined;

  // Several keys may come in one read: only the last frame is painted.
  function schedule(): void {
    if (isShown) scheduled ??= setImmediate(paint);
  }

  function paint(): void {
    scheduled = undefined;
    if (!isShown) return;
    const { lines, cursor } = frameOf(store.state());
    painter.paint(
      lines.map((line) => lineText(line, color)),
      cursor,
    );
  }

  function hide(): void {
    isShown = false;
    keyboard.close();
    owned.leave();
  }

  function show(): void {
    if (isOver() || isShown) return;
    owned.enter();
    keyboard.open();
    painter.forget();
    isShown = true;
    store.dispatch({ is: "resized", size: owned.size() });
    schedule();
  }

  store.subscribe(schedule);
  return {
    show,
    redraw() {
      painter.forget();
      schedule();
    },
    suspend() {
      hide();
      process.once("SIGCONT", show);
      process.kill(process.pid, "SIGTSTP");
    },
    /** Resolves with what `work` does on the normal screen. */
    async leaveFor<T>(work: () => Promise<T>): Promise<T> {
      hide();
      try {
        return await work();
      } finally {
        show();
      }
    },
    close() {
      process.off("SIGCONT", show);
      if (scheduled !== undefined) clearImmediate(scheduled);
      hide();
    },
  };
}
