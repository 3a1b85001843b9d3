// The demo on a terminal: events and records scroll, the progress bar stays below.
import { setTimeout } from "node:timers/promises";
import { Box, render, Static, Text } from "ink";
import { useSyncExternalStore } from "react";
import type { DemoEvent } from "../../core/records/demo-events.ts";
import { terminalLine, terminalText, wrapListLine } from "../../text/terminal-text.ts";

export type DemoScreen = ReturnType<typeof openDemoScreen>;

interface ScreenOptions {
  color: boolean;
  columns: number;
  /** Default: this process's terminal. */
  stdout?: NodeJS.WriteStream;
}

/** Takes the terminal over until it is closed. */
export function openDemoScreen({ color, columns, stdout = process.stdout }: ScreenOptions) {
  const store = createStore();
  const app = render(<DemoApp store={store} color={color} columns={columns} />, {
    stdout,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  return {
    show: (event: DemoEvent) => store.set(({ events }) => ({ events: [...events, event], isOpen: true })),
    /** Draws the last state and releases the terminal. */
    close: async () => {
      store.set(({ events }) => ({ events, isOpen: false }));
      // React draws in a later turn.
      await setTimeout(drawnWithinMs);
      app.unmount();
      await app.waitUntilExit();
    },
  };
}

const drawnWithinMs = 50;

interface ScreenState {
  events: readonly DemoEvent[];
  isOpen: boolean;
}

type Store = ReturnType<typeof createStore>;

function createStore() {
  let state: ScreenState = { events: [], isOpen: true };
  const listeners = new Set<() => void>();
  return {
    set: (change: (state: ScreenState) => ScreenState) => {
      state = change(state);
      for (const listener of listeners) listener();
    },
    subscribe: (listener: () => void): (() => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    state: () => state,
  };
}

interface DemoAppProps {
  store: Store;
  color: boolean;
  columns: number;
}

function DemoApp({ store, color, columns }: DemoAppProps) {
  const { events, isOpen } = useSyncExternalStore(store.subscribe, store.state);
  return (
    <>
      <Static items={[...events]}>
        {(event, index) => (
          <Box key={index} width={columns}>
            <EventRow event={event} color={color} columns={columns} />
          </Box>
        )}
      </Static>
      {isOpen ? <Progress events={events} color={color} /> : null}
    </>
  );
}

function EventRow({ event, color, columns }: { event: DemoEvent; color: boolean; columns: number }) {
  switch (event.kind) {
    case "worker":
      return (
        <Box flexDirection="column" marginBottom={1}>
          <Tint color={color} bold>
            A recorded session, sent through the real hook into a temporary memory
          </Tint>
          <Tint color={color} dim>
            {`Worker at ${event.url}, ready in ${Math.round(event.tookMs)} ms. No model, no key.`}
          </Tint>
        </Box>
      );
    case "hook":
      return <HookRow event={event} color={color} />;
    case "observation":
      return <MemoryRow tag={event.obs_type} title={event.title} color={color} />;
    case "summary":
      return <MemoryRow tag="summary" title={event.title} color={color} />;
    case "question":
      return <Printed heading={`$ ${event.command}`} lines={event.lines} color={color} />;
    case "injected":
      return <Printed heading={`${event.moment}:`} lines={listLines(event.text, columns)} color={color} />;
    case "privacy":
      return (
        <Text>{`Private text and passwords on the disk: ${event.found} of ${event.lookedFor} that were sent.`}</Text>
      );
    case "end":
      return (
        <Tint color={color} dim>
          {`Done in ${(event.tookMs / 1000).toFixed(1)} s. Worker and data directory removed.`}
        </Tint>
      );
    default:
      return event satisfies never;
  }
}

function listLines(text: string, columns: number): string[] {
  const lines = terminalText(text).trimEnd().split("\n");
  return lines.flatMap((line) => wrapListLine(line, columns));
}

function HookRow({ event, color }: { event: Extract<DemoEvent, { kind: "hook" }>; color: boolean }) {
  return (
    <Box width="100%">
      <Box width={19} flexShrink={0}>
        <Tint color={color} dim>
          {event.name}
        </Tint>
      </Box>
      <Box flexGrow={1} flexShrink={1}>
        <Text wrap="truncate-end">{terminalLine(event.about)}</Text>
      </Box>
      <Box marginLeft={1} flexShrink={0}>
        <Tint color={color} dim>{`${Math.round(event.tookMs)} ms`}</Tint>
      </Box>
    </Box>
  );
}

function MemoryRow({ tag, title, color }: { tag: string; title: string; color: boolean }) {
  return (
    <Box>
      <Box width={12} marginLeft={2} flexShrink={0}>
        <Tint color={color} name="green">{`+ ${tag}`}</Tint>
      </Box>
      <Text wrap="truncate-end">{terminalLine(title)}</Text>
    </Box>
  );
}

interface PrintedProps {
  heading: string;
  /** Safe for a terminal. */
  lines: readonly string[];
  color: boolean;
}

function Printed({ heading, lines, color }: PrintedProps) {
  return (
    <Box flexDirection="column" marginTop={1} width="100%">
      <Tint color={color} bold>
        {heading}
      </Tint>
      <Text>{lines.join("\n")}</Text>
    </Box>
  );
}

const barWidth = 30;

function Progress({ events, color }: { events: readonly DemoEvent[]; color: boolean }) {
  const hooks = events.filter((event) => event.kind === "hook");
  const remembered = events.filter(
    (event) => event.kind === "observation" || event.kind === "summary",
  ).length;
  const total = hooks.at(-1)?.total ?? 1;
  if (events.some(({ kind }) => kind === "question")) return null;
  const filled = Math.round((hooks.length / total) * barWidth);
  return (
    <Box marginTop={1}>
      <Tint color={color} name="green">
        {"━".repeat(filled)}
      </Tint>
      <Tint color={color} dim>
        {"─".repeat(barWidth - filled)}
      </Tint>
      <Text>{`  ${hooks.length} of ${total} events, ${remembered} remembered`}</Text>
    </Box>
  );
}

interface TintProps {
  color: boolean;
  name?: "green";
  bold?: boolean;
  dim?: boolean;
  children: string;
}

/** Text with a color or weight, where color is wanted. */
function Tint({ color, name, bold = false, dim = false, children }: TintProps) {
  if (!color) return <Text wrap="truncate-end">{children}</Text>;
  return (
    <Text wrap="truncate-end" bold={bold} dimColor={dim} {...(name === undefined ? {} : { color: name })}>
      {children}
    </Text>
  );
}
