// The session that `mem demo` replays: events in the format of Claude Code, one JSON object a line.
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { MemError } from "../core/errors.ts";
import { packageFile } from "../core/paths.ts";
import { isJsonObject, type Json, type JsonObject } from "../text/json.ts";

/** One event of the session: the stdin of a hook. */
export interface DemoStep {
  /** The host's name of the event: `PostToolUse`. */
  name: string;
  /** What it is about, in a few words. */
  about: string;
  payload: JsonObject;
}

/** The question that is searched for afterwards. */
export const demoQuestion = "why were users logged out after a deploy?";

/** The prompt of a later session: the same symptom in other words. */
const nextPrompt =
  "Customers say that they have to log in again after each deploy. Have we seen this before?";

/** Private text and a password in the session, which must never reach the disk. */
export const demoSecrets = ["staging box is unpatched", "correct-horse-battery"] as const;

/** The steps of the session that the package ships, in order. */
export function loadDemoSession(): DemoStep[] {
  const lines = readFileSync(packageFile("templates", "demo", "session.jsonl"), "utf8")
    .trim()
    .split("\n");
  return lines.map((line) => {
    const payload: unknown = JSON.parse(line);
    if (!isJsonObject(payload) || typeof payload.hook_event_name !== "string") {
      throw new MemError("internal", { message: "The demo's session cannot be read." });
    }
    return { name: payload.hook_event_name, about: aboutOf(payload), payload };
  });
}

/** The start, the first prompt and the first read of a session that comes after it. */
export function nextSession(steps: readonly DemoStep[]): Record<"start" | "prompt" | "read", DemoStep> {
  const next = (name: string, changed: JsonObject): DemoStep => {
    const step = steps.find((one) => one.name === name);
    if (step === undefined) throw new MemError("internal", { message: `The demo's session has no ${name}.` });
    const payload = { ...step.payload, session_id: "00000000-0000-4000-8000-0000000000d2", ...changed };
    return { name, about: aboutOf(payload), payload };
  };
  return {
    start: next("SessionStart", {}),
    prompt: next("UserPromptSubmit", {
      prompt_id: "00000000-0000-4000-8000-000000000201",
      prompt: nextPrompt,
    }),
    read: next("PreToolUse", { prompt_id: "00000000-0000-4000-8000-000000000201" }),
  };
}

function aboutOf(payload: JsonObject): string {
  const {
    tool_name: tool,
    tool_input: input,
    prompt,
    last_assistant_message: said,
    source,
    reason,
  } = payload;
  if (typeof tool === "string") return `${tool} ${subjectOf(input)}`.trim();
  const text = [prompt, said, source, reason].find((value) => typeof value === "string");
  return typeof text === "string" ? text : "";
}

function subjectOf(input: Json | undefined): string {
  if (!isJsonObject(input)) return "";
  const { file_path: path, command, pattern } = input;
  if (typeof path === "string") return basename(path);
  return [command, pattern].find((value) => typeof value === "string")?.toString() ?? "";
}
