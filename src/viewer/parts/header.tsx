// The header: sidebar button, search, state of the connection, help.
import { useEffect, useRef } from "preact/hooks";
import { linkTo } from "../links.ts";
import { go, presentPlace, usePlace } from "../location.ts";
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
      <button type="button" class="icon-button needs-keyboard" aria-label="Keyboard help" onClick={onHelp}>
        ?
      </button>
    </header>
  );
}

function SearchBox() {
  const { firstResultOf } = useViewer();
  const place = usePlace();
  const box = useRef<HTMLInputElement>(null);
  const asked = place.path === "/search" ? (place.query.get("q") ?? "") : "";
  useEffect(() => {
    if (box.current !== null && box.current !== document.activeElement) box.current.value = asked;
  }, [asked]);
  // While typing, each letter replaces the address, so that one step back leaves the search.
  function search(words: string): void {
    firstResultOf.set(null);
    const { path, query } = presentPlace();
    const isOnSearch = path === "/search";
    const filters = isOnSearch ? Object.fromEntries(query) : {};
    go(linkTo("/search", { ...filters, q: words }), { replace: isOnSearch });
  }
  function pressed({
    key,
    currentTarget: { value },
  }: KeyboardEvent & { currentTarget: HTMLInputElement }): void {
    if (key === "Escape") box.current?.blur();
    if (key !== "Enter") return;
    if (presentPlace().path !== "/search") search(value);
    firstResultOf.set(value);
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
        onInput={({ currentTarget: { value } }) => search(value)}
        onKeyDown={pressed}
        // The words of a search belong to its page.
        onBlur={({ currentTarget }) => {
          if (presentPlace().path !== "/search") currentTarget.value = "";
        }}
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
