// Entry of the TV: the newest observations, large, for a screen that is only looked at.

// First, so that the token is out of the address before other code runs.
import "./address.ts";

import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ageOf, clockTime, useNow } from "../clock.ts";
import { showPlainText } from "../directions.ts";
import { InlineCode } from "../parts/inline-code.tsx";
import { tvAddress } from "./address.ts";
import { readBoard, type TvBoard, tokenHeaders } from "./board.ts";
import { connectTv, type TvState } from "./connection.ts";
import "./tv.css";

function Tv() {
  const [board, setBoard] = useState<TvBoard>();
  const [state, setState] = useState<TvState>({ is: "connecting" });
  useEffect(() => {
    const query = tvAddress.project === "" ? "" : `?${new URLSearchParams({ project: tvAddress.project })}`;
    const connection = connectTv({
      url: `/stream${query}`,
      headers: tokenHeaders(tvAddress),
      changed: async () => setBoard(await readBoard(tvAddress)),
      onState: setState,
    });
    return connection.close;
  }, []);
  useEffect(() => keepAwake(), []);
  return (
    <div class={`tv ${state.is}`}>
      <TvHeader state={state} />
      {state.is === "refused" ? <Refused status={state.status} /> : <Board board={board} state={state} />}
    </div>
  );
}

function TvHeader({ state }: { state: TvState }) {
  const now = useNow();
  const { project, source } = tvAddress;
  return (
    <header>
      <h1>
        <span dir="auto">{project || "All projects"}</span>
        {source !== "" && <span class="source"> from {source}</span>}
      </h1>
      <p class="state" role="status">
        <span class="dot" aria-hidden="true" />
        {stateInWords(state, now)}
      </p>
      <time class="clock">{clockTime(now)}</time>
    </header>
  );
}

function stateInWords(state: TvState, now: number): string {
  switch (state.is) {
    case "connecting":
      return "Connecting";
    case "live":
      return "Live";
    case "lost": {
      const age = ageOf(state.since, now);
      return `Not connected since ${clockTime(state.since)}${age === "now" ? "" : `, ${age}`}`;
    }
    case "refused":
      return "No access";
    default:
      return state satisfies never;
  }
}

function Board({ board, state }: { board: TvBoard | undefined; state: TvState }) {
  const now = useNow();
  const { project, source } = tvAddress;
  if (board === undefined)
    return (
      <main class="message">
        <p>{state.is === "lost" ? "The worker does not answer." : "Connecting to the worker…"}</p>
        {state.is === "lost" && (
          <p class="hint">
            Check the network of this display. On the machine where mem runs: <code>mem worker start</code>
          </p>
        )}
      </main>
    );
  const { items, others } = board;
  if (items.length === 0)
    return (
      <main class="message">
        <p>
          No observation yet
          {project !== "" && (
            <>
              {" "}
              in <bdi>{project}</bdi>
            </>
          )}
          {source !== "" && ` from ${source}`}.
        </p>
        {others !== null && others.projects.length > 0 && (
          <p class="hint">
            Projects of the newest observations: <span dir="auto">{others.projects.join(", ")}</span>.
          </p>
        )}
        {others !== null && others.sources.length > 0 && (
          <p class="hint">Sources of the newest observations: {others.sources.join(", ")}.</p>
        )}
        <p class="hint">
          {project === "" && source === ""
            ? "The first one appears here by itself."
            : "If the name in the address is right, the next one appears here by itself."}
        </p>
      </main>
    );
  return (
    <main>
      <ol class="board">
        {items.map(({ id, obs_type, title, subtitle, summary, project: of, host, created_at_epoch }) => (
          <li key={id}>
            <p class="title" dir="auto">
              <InlineCode text={title} />
            </p>
            <p class="detail" dir="auto">
              <InlineCode text={detailOf(title, subtitle, summary)} />
            </p>
            <p class="meta">
              <span class={`type ${typeClass(obs_type)}`}>{obs_type}</span>
              {project === "" && <span dir="auto">{of}</span>}
              {source === "" && host && <span>{host}</span>}
              <time dateTime={new Date(created_at_epoch).toISOString()}>{ageOf(created_at_epoch, now)}</time>
            </p>
          </li>
        ))}
      </ol>
    </main>
  );
}

function detailOf(title: string, ...texts: (string | null)[]): string {
  return texts.find((text) => text && text.replace(/\.$/, "") !== title.replace(/\.$/, "")) ?? "";
}

const types = new Set(["discovery", "decision", "bugfix", "feature", "refactor", "change"]);

function typeClass(type: string): string {
  return types.has(type) ? `type-${type}` : "";
}

function Refused({ status }: { status: number }) {
  return (
    <main class="message">
      <p>
        {status === 401
          ? "This address is not valid, or no longer."
          : "This worker shows nothing to this display."}
      </p>
      <p class="hint">
        On the machine where mem runs: <code>{status === 401 ? "mem tv url" : "mem tv enable"}</code>. Then
        open the address that it prints.
      </p>
    </main>
  );
}

// Where the browser has it, the screen stays on. The lock ends whenever the page is hidden.
function keepAwake(): () => void {
  const ask = () => {
    if (document.visibilityState === "visible") navigator.wakeLock?.request("screen").catch(() => undefined);
  };
  document.addEventListener("visibilitychange", ask);
  ask();
  return () => document.removeEventListener("visibilitychange", ask);
}

showPlainText();
const place = document.getElementById("app");
if (place !== null) render(<Tv />, place);
