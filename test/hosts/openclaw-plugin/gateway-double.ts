// A gateway that loads the plugin and calls its handlers with events as a real gateway recorded them.
import { readFileSync } from "node:fs";
import type { CommandContext, Gateway, Handler } from "../../../src/hosts/openclaw-plugin/gateway.ts";
import { createParts, type PluginDeps, registerPlugin } from "../../../src/hosts/openclaw-plugin/plugin.ts";

export interface Recorded {
  event: Record<string, unknown>;
  ctx: Record<string, unknown>;
}

/** A recorded event; `version` is a folder of the fixtures. Tests send thousands: each file is read once. */
function recorded(name: string, version = "openclaw"): Recorded {
  const file = `${version}/${name}.json`;
  const text =
    texts.get(file) ?? readFileSync(new URL(`../../fixtures/host-events/${file}`, import.meta.url), "utf8");
  texts.set(file, text);
  return JSON.parse(text) as Recorded;
}

const texts = new Map<string, string>();

export interface GatewayDouble {
  /** Calls the handler of a recorded event, with changed fields; resolves with what it returns. */
  emit(name: string, given?: Emit): unknown;
  /** Calls a handler with anything. */
  raw(name: string, event: unknown, context: unknown): unknown;
  command(name: string, args?: string): Promise<string>;
  startServices(): void;
  stopServices(): void;
  events(): string[];
  /** Resolves when the plugin has sent or spooled everything. */
  settled(): Promise<void>;
  warnings: string[];
}

interface Emit {
  file?: string;
  version?: string;
  event?: Record<string, unknown>;
  ctx?: Record<string, unknown>;
}

interface Options {
  settings?: Record<string, unknown>;
  runtime?: Gateway["runtime"];
  config?: unknown;
  deps?: Partial<PluginDeps>;
  registrationMode?: string;
  /** How the plugin is registered; by default with `deps`. */
  register?: (gateway: Gateway) => void;
}

type Command = Parameters<NonNullable<Gateway["registerCommand"]>>[0];
type Service = Parameters<NonNullable<Gateway["registerService"]>>[0];

export function gatewayDouble(options: Options): GatewayDouble {
  const { settings = {}, runtime = {}, config = {}, deps, registrationMode = "full", register } = options;
  const handlers = new Map<string, Handler>();
  const commands = new Map<string, Command>();
  const services: Service[] = [];
  const warnings: string[] = [];
  const gateway: Gateway = {
    id: "mem",
    registrationMode,
    config,
    pluginConfig: settings,
    runtime,
    logger: { warn: (message) => warnings.push(message) },
    on: (event, handler) => handlers.set(event, handler),
    registerAgentToolResultMiddleware: (handler) => handlers.set("agent_tool_result", handler),
    registerCommand: (command) => commands.set(command.name, command),
    registerService: (service) => services.push(service),
  };
  let settled: GatewayDouble["settled"] = async () => undefined;
  if (register === undefined) {
    const parts = createParts(gateway, deps);
    registerPlugin(gateway, parts);
    settled = parts.outbox.settled;
  } else register(gateway);
  return {
    emit(name, { file = name, version, event = {}, ctx = {} } = {}) {
      const sample = recorded(file, version);
      return handlers.get(name)?.({ ...sample.event, ...event }, { ...sample.ctx, ...ctx });
    },
    raw: (name, event, context) => handlers.get(name)?.(event, context),
    async command(name, args) {
      const context: CommandContext = args === undefined ? {} : { args };
      return (await commands.get(name)?.handler(context))?.text ?? "";
    },
    startServices() {
      for (const service of services) service.start();
    },
    stopServices() {
      for (const service of services) service.stop();
    },
    events: () => [...handlers.keys()],
    settled,
    warnings,
  };
}

/** The events of one turn with one tool use, in the order of a real gateway. */
export async function turn(
  gateway: GatewayDouble,
  { event = {}, ctx = {} }: Pick<Emit, "event" | "ctx"> = {},
): Promise<unknown> {
  const result = await gateway.emit("before_prompt_build", { event, ctx });
  gateway.emit("before_tool_call", { ctx });
  gateway.emit("after_tool_call", { ctx });
  gateway.emit("tool_result_persist", { ctx });
  gateway.emit("agent_end", { ctx });
  return result;
}
