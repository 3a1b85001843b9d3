// The pages: one row each.
import type { ComponentType } from "preact";
import type { PageProps, Place } from "./links.ts";
import { ContextPage } from "./pages/context.tsx";
import { HomePage } from "./pages/home.tsx";
import { RecordPage } from "./pages/record.tsx";
import { SearchPage } from "./pages/search.tsx";
import { SessionPage } from "./pages/session.tsx";
import { SessionsPage } from "./pages/sessions.tsx";
import { SettingsPage } from "./pages/settings.tsx";
import { StatusPage } from "./pages/status.tsx";
import { TrashPage } from "./pages/trash.tsx";

interface Route {
  /** `/record/:kind/:id`. */
  path: string;
  /** Title of the window, and the word in the sidebar. */
  title: string;
  page: ComponentType<PageProps>;
  /** The letter after `g` that opens it; with one, it is in the sidebar. */
  key?: string;
}

export const routes: readonly Route[] = [
  { path: "/", title: "Home", page: HomePage, key: "h" },
  { path: "/search", title: "Search", page: SearchPage, key: "s" },
  { path: "/sessions", title: "Sessions", page: SessionsPage, key: "e" },
  { path: "/session/:id", title: "Session", page: SessionPage },
  { path: "/record/:kind/:id", title: "Record", page: RecordPage },
  { path: "/context", title: "Context preview", page: ContextPage, key: "c" },
  { path: "/status", title: "Status", page: StatusPage, key: "w" },
  { path: "/settings", title: "Settings", page: SettingsPage, key: "," },
  { path: "/trash", title: "Trash", page: TrashPage, key: "t" },
];

/** The row of a place and the parts of its path; undefined for an unknown path. */
export function routeOf({ path }: Place): { route: Route; parts: Record<string, string> } | undefined {
  const given = path.split("/");
  for (const route of routes) {
    const wanted = route.path.split("/");
    if (wanted.length !== given.length) continue;
    const parts: Record<string, string> = {};
    const fits = wanted.every((part, at) => {
      const value = given[at] ?? "";
      if (!part.startsWith(":")) return part === value;
      parts[part.slice(1)] = value;
      return value !== "";
    });
    if (fits) return { route, parts };
  }
  return undefined;
}
