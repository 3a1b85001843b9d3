// The header: sidebar button, search, state of the connection, help.
import { useEffect, useRef } from "preact/hooks";
import { linkTo } from "../links.ts";
import { go, usePlace } from "../location.ts";
import { useValue } from "../observable.ts";
import type { Connection } from "../stream.ts";
import { isNarrow, useViewer } from "../viewer.ts";

export function Header({ onHelp }: { onHelp: () => void }) {
  const viewer = useViewer();
  const isSidebarOpen = useValue(viewer.sidebarOpen);
  const isDrawerOpen = useValue(viewer.drawerOpen);
  const isOpen = isNarrow() ? isDrawerOpen : isSidebarOpen;
  return (
    <header class="header">
      <button
        type="button"
        class="icon-button"
        aria-label={isOpen ? "Hide the sidebar" : "Show the sidebar"}
        aria-expanded={isOpen}
        onClick={viewer.toggleSidebar}
      >
        <span class="menu-icon" aria-hidden="true" />
      </button>
      <SearchBox />
      <ConnectionState />
      <button type="button" class="icon-button" aria-label="Keyboard help" onClick={onHelp}>
        ?
      </button>
    </header>
  );
}

function SearchBox() {
  const { firstResult } = useViewer();
  const place = usePlace();
  const box = useRef<HTMLInputElement>(null);
  const asked = place.path === "/search" ? (place.query.get("q") ?? "") : "";
  useEffect(() => {
    if (box.current !== null && box.current !== document.activeElement) box.current.value = asked;
  }, [asked]);
  // While typing, each letter replaces the address, so that one step back leaves the search.
  function search(event: { currentTarget: HTMLInputElement }): void {
    firstResult.set(false);
    const query = { ...Object.fromEntries(place.query), q: event.currentTarget.value };
    const isOnSearch = place.path === "/search";
    go(linkTo("/search", isOnSearch ? query : { q: query.q }), { replace: isOnSearch });
  }
  function pressed({ key, currentTarget }: KeyboardEvent & { currentTarget: HTMLInputElement }): void {
    if (key === "Escape") currentTarget.blur();
    if (key === "Enter" && place.path === "/search") firstResult.set(true);
  }
  return (
    <search>
      <input
        ref={box}
        type="search"
        dir="auto"
        placeholder="Search everything"
        aria-label="Search"
        aria-keyshortcuts="/"
        autocomplete="off"
        spellcheck={false}
        onInput={search}
        onKeyDown={pressed}
      />
    </search>
  );
}

const words: Record<Connection, string> = { connecting: "Connecting", live: "Live", lost: "Offline" };

function ConnectionState() {
  const { stream, processing } = useViewer();
  const state = useValue(stream.state);
  const { queueDepth = 0, paused = null } = useValue(processing) ?? {};
  const waits = queueDepth > 0 ? `${queueDepth} waiting` : null;
  return (
    <div class={`connection ${state}`} role="status">
      <span class="dot" aria-hidden="true" />
      {state === "live" && paused !== null ? "Paused" : words[state]}
      {state === "live" && waits !== null && <span class="quiet"> · {waits}</span>}
      {state === "lost" && (
        <button type="button" class="link" onClick={stream.reconnect}>
          Reconnect
        </button>
      )}
    </div>
  );
}
