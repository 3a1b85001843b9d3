// Wire shapes of the settings route: what the viewer remembers, and the configuration to read.
import * as z from "zod";

/** Answer of `GET /api/settings`: the viewer's state and every configuration setting by its name, keys included. */
export const settingsAnswer = z.lazy(() => z.looseObject(viewerFields()));

/** Body of `POST /api/settings`: the viewer's state and nothing else. */
export const settingsBody = z.lazy(() =>
  z.strictObject({
    sidebarOpen: z.boolean().optional(),
    selectedProject: z.string().max(4096).nullable().optional(),
  }),
);

/** Answer of `POST /api/settings`. */
export const settingsSaved = z.lazy(() => z.object({ success: z.literal(true) }));

/** `settingsBody` as the handler gets it. */
export type ViewerChange = z.output<typeof settingsBody>;

/** What the viewer remembers of its own state. */
export interface ViewerState {
  sidebarOpen: boolean;
  selectedProject: string | null;
}

function viewerFields() {
  return { sidebarOpen: z.boolean(), selectedProject: z.string().nullable() };
}
