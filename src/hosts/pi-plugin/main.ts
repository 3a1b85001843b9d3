// The Pi extension: sends Pi's sessions to the worker, and adds its context to prompts and tool results. It runs in Pi's
// process, so a handler never throws and never waits past a deadline.
import { systemClock } from "../../core/clock.ts";
import { failOpen } from "../../core/errors.ts";
import { isJsonObject, type JsonObject } from "../../text/json.ts";
import { textField } from "../../text/json-fields.ts";
import { lastText, textIn } from "../in-process/message-text.ts";
import type { Outbox } from "../in-process/outbox.ts";
import { createPluginOutbox } from "../in-process/plugin-outbox.ts";

/** The part of Pi's extension API that the extension uses. */
export interface ExtensionApi {
  on(event: string, handler: (event: unknown, context: Context) => Promise<unknown>): void;
}

interface Context {
  cwd?: string;
  sessionManager?: { getSessionId?(): string };
}

/** Pi loads the extension again for each session. `dataDir` for another one than the default. */
export function memExtension(
  pi: ExtensionApi,
  dataDir: string | null,
  host: string,
  given: NodeJS.ProcessEnv = process.env,
): void {
  const environment = dataDir === null ? given : { ...given, MEM_DATA_DIR: dataDir };
  const log = () => undefined;
  const outbox = createPluginOutbox({ host, environment, clock: systemClock, log });
  if (outbox === null) return;
  for (const [name, handler] of Object.entries(handlersOf(outbox))) {
    pi.on(name, (event, { cwd = "", sessionManager }) => {
      const origin = { session_id: sessionManager?.getSessionId?.() ?? "", cwd };
      return failOpen(`handle ${name}`, () => handler(isJsonObject(event) ? event : {}, origin));
    });
  }
}

type Handler = (event: JsonObject, origin: JsonObject) => Promise<unknown>;

function handlersOf(outbox: Outbox): Record<string, Handler> {
  let prompt_id = "";
  let lastSaid = "";
  const ask = (event: string, origin: JsonObject, more: JsonObject = {}) =>
    outbox.ask(event, { ...origin, ...(prompt_id === "" ? {} : { prompt_id }), ...more });
  return {
    async session_start({ reason = "" }, origin) {
      outbox.wake();
      // The copied messages have the context.
      if (reason === "fork") await ask("session-start", origin, { source: reason });
    },
    async before_agent_start({ messageType, prompt }, origin) {
      // An extension started the run.
      if (messageType === "custom" || typeof prompt !== "string") return undefined;
      prompt_id = `p${systemClock.now()}`;
      lastSaid = "";
      const content = await ask("user-prompt-submit", origin, { prompt });
      return content === "" ? undefined : { message: { customType: "mem", content, display: false } };
    },
    async tool_result(event, origin) {
      const context = await ask("post-tool-use", origin, {
        tool_name: textField(event, "toolName"),
        tool_use_id: textField(event, "toolCallId"),
        tool_input: event.input ?? null,
        tool_response: {
          output: textIn(event.content),
          ...(event.isError === true ? { is_error: true } : {}),
        },
      });
      if (context === "" || !Array.isArray(event.content)) return undefined;
      return { content: [...event.content, { type: "text", text: context }] };
    },
    async agent_end(event) {
      lastSaid = lastText(event, "assistant");
    },
    async agent_settled({ aborted }, origin) {
      if (aborted !== true) await ask("stop", origin, { last_assistant_message: lastSaid });
    },
    session_compact: (_event, origin) => ask("pre-compact", origin),
    async session_shutdown({ reason = "" }, origin) {
      if (reason !== "reload") await ask("session-end", origin, { reason });
      await outbox.settled();
    },
  };
}
