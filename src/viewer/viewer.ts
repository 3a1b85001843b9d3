// State of the whole viewer: requests, stream, projects, sidebar, the toast. Pages get it by `useViewer`.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { ProcessingStatus } from "../core/records/events.ts";
import { type Api, createApi } from "./api.ts";
import { type ApiFault, faultOf } from "./faults.ts";
import { createFeeds, type Feed } from "./feed.ts";
import { createObservable, type Observable } from "./observable.ts";
import { createStream, type Stream } from "./stream.ts";
import { leaveUnsaved } from "./unsaved.ts";

/** A message that goes after a while; `undo` takes back what it reports. */
export interface Toast {
  text: string;
  hint?: string | null;
  isFault?: boolean;
  undo?: () => Promise<void>;
}

export interface Viewer {
  api: Api;
  stream: Stream;
  /** The live feed of a project, or of all. */
  feedOf(project: string | null): Feed;
  projects: Observable<readonly string[]>;
  /** Records of this project only; null for all. */
  project: Observable<string | null>;
  sidebarOpen: Observable<boolean>;
  /** The sidebar of a narrow screen, which covers the page; its state is not stored. */
  drawerOpen: Observable<boolean>;
  processing: Observable<ProcessingStatus | null>;
  toast: Observable<Toast | null>;
  /** The words after which Enter was pressed in the search box, until their first result has the focus. */
  firstResultOf: Observable<string | null>;
  /** Shows another project, after a question when text would be lost, and stores the choice. */
  chooseProject(project: string | null): void;
  /** Shows a project that a link names; it is not stored. */
  showProject(project: string): void;
  toggleSidebar(): void;
  /** Runs an action of the user: a failure becomes a toast. `done` tells whether it worked. */
  act(action: () => Promise<Toast | undefined>): Promise<boolean>;
  /** Takes back what the present toast reports. */
  undo(): Promise<void>;
}

/** Starts the viewer: the stream is open and the stored state is being read. */
export function createViewer(): Viewer {
  const api = createApi();
  const stream = createStream("/stream");
  const projects = createObservable<readonly string[]>([]);
  const project = createObservable<string | null>(null);
  const sidebarOpen = createObservable(true);
  const drawerOpen = createObservable(false);
  const processing = createObservable<ProcessingStatus | null>(null);
  const toast = createObservable<Toast | null>(null);
  const firstResultOf = createObservable<string | null>(null);
  // What is chosen on this page comes before what is stored.
  let isChosen = false;

  async function act(action: () => Promise<Toast | undefined>): Promise<boolean> {
    try {
      const said = await action();
      if (said !== undefined) toast.set(said);
      return true;
    } catch (error) {
      toast.set(faultToast(faultOf(error)));
      return false;
    }
  }

  function save(change: { sidebarOpen?: boolean; selectedProject?: string | null }): void {
    void act(async () => {
      await api.post("/api/settings", change);
      return undefined;
    });
  }

  void act(async () => {
    const stored = await api.get("/api/settings");
    sidebarOpen.set(stored.sidebarOpen);
    if (!isChosen) project.set(stored.selectedProject);
    return undefined;
  });
  stream.listen((event) => {
    if (event.type === "initial_load") projects.set(event.projects);
    if (event.type === "initial_load" || event.type === "processing_status") processing.set(event);
  });

  return {
    api,
    stream,
    feedOf: createFeeds(api, stream),
    projects,
    project,
    sidebarOpen,
    drawerOpen,
    processing,
    toast,
    firstResultOf,
    act,
    chooseProject: (chosen) =>
      leaveUnsaved(() => {
        isChosen = true;
        project.set(chosen);
        save({ selectedProject: chosen });
      }),
    showProject(named) {
      isChosen = true;
      project.set(named);
    },
    toggleSidebar() {
      if (isNarrow()) return drawerOpen.set(!drawerOpen.get());
      sidebarOpen.set(!sidebarOpen.get());
      save({ sidebarOpen: sidebarOpen.get() });
    },
    async undo() {
      const { undo } = toast.get() ?? {};
      if (undo === undefined) return;
      toast.set(null);
      await act(async () => {
        await undo();
        return { text: "Undone." };
      });
    },
  };
}

/** True where the sidebar covers the page, as in shell.css. */
export function isNarrow(): boolean {
  return matchMedia("(max-width: 720px)").matches;
}

function faultToast({ message, hint }: ApiFault): Toast {
  return { text: message, hint, isFault: true };
}

/** Gives the viewer to every component. */
export const ViewerContext = createContext<Viewer | null>(null);

export function useViewer(): Viewer {
  const viewer = useContext(ViewerContext);
  if (viewer === null) throw new TypeError("useViewer needs a ViewerContext around it");
  return viewer;
}
