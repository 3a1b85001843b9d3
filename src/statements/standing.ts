// TEMP until the classifier lands.
import { promptCuesOf } from "./prompt-cues.ts";
export function standingOf(s: string, _c: { prompt: string; isFollowUp: boolean; previousClosing: string | null }): { standing: true; reach: "project" | "everywhere"; form: "do" | "never" } | null {
  const c = promptCuesOf(s);
  if (c.has("oneOff") || /[?？]\s*$/.test(s)) return null;
  return c.has("always") && (c.has("never") || c.has("norm")) && s.length > 25 ? { standing: true, reach: "project", form: c.has("never") ? "never" : "do" } : null;
}
