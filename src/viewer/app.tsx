// The shell around every page: sidebar, header, help, toast.
import { useEffect, useRef, useState } from "preact/hooks";
import { focusRow, useKeys } from "./keys.ts";
import { linkTo, type Place } from "./links.ts";
import { go, usePlace } from "./location.ts";
import { useValue } from "./observable.ts";
import { Header } from "./parts/header.tsx";
import { Help } from "./parts/help.tsx";
import { Main } from "./parts/main.tsx";
import { Sidebar } from "./parts/sidebar.tsx";
import { ToastLine } from "./parts/toast.tsx";
import { routeOf, routes } from "./routes.ts";
import { useRowKeys } from "./row-keys.ts";
import { useViewer } from "./viewer.ts";

export function App() {
  const viewer = useViewer();
  const place = usePlace();
  const found = routeOf(place);
  const isOpen = useValue(viewer.sidebarOpen);
  const isDrawerOpen = useValue(viewer.drawerOpen);
  const [helpOpen, setHelpOpen] = useState(false);
  const title = found?.route.title ?? "Not found";
  useShellKeys(() => setHelpOpen(true));
  useRowKeys();
  useEffect(() => {
    document.title = found?.route.path === "/" ? "mem" : `${title} · mem`;
  }, [title]);
  useEffect(() => viewer.drawerOpen.set(false), [place.path]);
  const Page = found?.route.page;
  return (
    <div class={`shell${isOpen ? "" : " sidebar-closed"}${isDrawerOpen ? " drawer-open" : ""}`}>
      <button type="button" class="skip" onClick={focusMain}>
        Skip to the content
      </button>
      <Sidebar place={place} />
      <Header onHelp={() => setHelpOpen(true)} />
      <Main title={title} key={place.path}>
        <AddressedProject place={place} />
        {Page && found ? <Page parts={found.parts} query={place.query} /> : <NotFound path={place.path} />}
      </Main>
      <ToastLine />
      {helpOpen && <Help onClose={() => setHelpOpen(false)} />}
    </div>
  );
}

/** Shows the project that a link names; a note when there is none of this name. */
function AddressedProject({ place: { path, query } }: { place: Place }) {
  const viewer = useViewer();
  const projects = useValue(viewer.projects);
  const shown = useValue(viewer.project);
  // In the context preview it is the project of the question.
  const named = path === "/context" ? null : query.get("project");
  const isKnown = named !== null && projects.includes(named);
  useEffect(() => {
    if (isKnown) viewer.showProject(named);
  }, [named, isKnown]);
  if (named === null || named === "" || isKnown || projects.length === 0) return null;
  const others = Object.fromEntries(query);
  return (
    <p class="note address-note" role="status">
      There is no project <span dir="auto">“{named}”</span>:{" "}
      {shown === null ? "all projects are" : `${shown} is`} shown. Projects:{" "}
      {projects.slice(0, mostNamed).map((name, at) => (
        <span key={name}>
          {at > 0 && ", "}
          <a href={linkTo(path, { ...others, project: name })} dir="auto">
            {name}
          </a>
        </span>
      ))}
      {projects.length > mostNamed && ` and ${projects.length - mostNamed} more`}.
    </p>
  );
}

const mostNamed = 8;

function NotFound({ path }: { path: string }) {
  return (
    <div class="page">
      <h1>No page at {path}</h1>
      <p>
        <a href={linkTo("/")}>Go to Home</a>
      </p>
    </div>
  );
}

function useShellKeys(openHelp: () => void): void {
  const viewer = useViewer();
  const search = useRef<HTMLElement | null>(null);
  useKeys([
    { keys: "/", what: "Search", run: () => focusSearch(search) },
    { keys: "j", what: "Next record", run: () => focusRow(1) },
    { keys: "k", what: "Record before", run: () => focusRow(-1) },
    { keys: "u", what: "Undo", run: () => void viewer.undo() },
    { keys: "?", what: "This help", run: openHelp },
    ...routes.flatMap(({ key, title, path }) =>
      key === undefined ? [] : [{ keys: `g ${key}`, what: title, run: () => go(linkTo(path)) }],
    ),
  ]);
}

function focusSearch(search: { current: HTMLElement | null }): void {
  search.current = document.querySelector<HTMLElement>("header input[type=search]");
  search.current?.focus();
}

function focusMain(): void {
  document.querySelector<HTMLElement>("#main")?.focus();
}
