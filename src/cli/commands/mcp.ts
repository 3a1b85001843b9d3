// `mem mcp`: recall for agents over the Model Context Protocol, and which hosts have it.
import type { Command } from "commander";
import type { WorkerClient } from "../../client/worker-client.ts";
import { MemError } from "../../core/errors.ts";
import { version } from "../../core/version.ts";
import { mcpServerName } from "../../hosts/mcp-server.ts";
import { type McpChange, type McpHost, noHostInstalled } from "../../hosts/mcp-switch.ts";
import { hostNames, recipeOf } from "../../hosts/registry.ts";
import { prepareDataDirectory } from "../../settings/data-dir.ts";
import { wrapToWidth } from "../../text/terminal-text.ts";
import type { CliContext } from "../context.ts";
import { withExamples } from "../examples.ts";
import { installsOf, mcpHosts, mcpSwitchOf, settingsFileOf } from "../host-settings.ts";
import { homePath } from "../words.ts";
import { startWorker } from "../worker-process.ts";

/** Adds `mem mcp`. */
export function registerMcp(program: Command, context: CliContext): void {
  const mcp = program
    .command("mcp")
    .description("serve recall to an agent on standard input and output; a host starts this")
    .action(() => serve(context));
  withExamples(mcp, [
    ["mem mcp", "what a host runs"],
    ["mem mcp disable", "keep the hooks, take the tools away"],
  ]);
  for (const [word, enabled] of [
    ["enable", true],
    ["disable", false],
  ] as const) {
    const command = mcp
      .command(word)
      .description(enabled ? "give the installed hosts the tools" : "take the tools from the installed hosts")
      .argument("[host]", `one of them: ${hostNames.join(", ")}`)
      .option("--json", "print JSON")
      .action((host: string | undefined, options: { json?: true }) =>
        toggle(context, { host, enabled, asJson: options.json === true }),
      );
    withExamples(command, [
      [`mem mcp ${word}`, "for every host that remembers through mem"],
      [`mem mcp ${word} claude-code`, "for one of them"],
    ]);
  }
  const status = mcp
    .command("status")
    .description("say which hosts have the tools")
    .argument("[host]", `one of them: ${hostNames.join(", ")}`)
    .option("--json", "print JSON")
    .action((host: string | undefined, options: { json?: true }) =>
      showStatus(context, host, options.json === true),
    );
  withExamples(status, [
    ["mem mcp status", ""],
    ["mem mcp status claude-code --json", "for a program"],
  ]);
}

interface Toggle {
  host: string | undefined;
  enabled: boolean;
  asJson: boolean;
}

function toggle(context: CliContext, { host, enabled, asJson }: Toggle): void {
  const { io } = context;
  const paths = context.paths();
  const hosts = hostsOf(context, host);
  if (hosts.length === 0 && enabled) throw noHostInstalled();
  if (enabled) prepareDataDirectory(paths.root);
  const installs = installsOf(paths);
  if (hosts.length === 0 && installs.mcpWish() === true) installs.setMcpWish(null);
  const changes = hosts.map((one) => mcpSwitchOf(paths).set(one, enabled));
  if (asJson) {
    io.json({ enabled: enabled || changes.some((change) => change.enabled), hosts: changes });
    return;
  }
  if (changes.length === 0) io.out("No host agent remembers through mem, so there is nothing to take away.");
  for (const change of changes)
    for (const line of wrapToWidth(changeInWords(change, enabled), io.columns)) io.out(line);
}

function changeInWords({ host, file: path, plugin, changed }: McpChange, enabled: boolean): string {
  const file = homePath(path);
  if (plugin !== null && enabled) return `${host} has it already, from the plugin ${plugin}.`;
  if (plugin !== null) {
    const own = changed ? `The server ${mcpServerName} is out of ${file}, but the` : "The";
    return `${own} plugin ${plugin} brings it to ${host}: \`claude plugin disable ${plugin}\` takes the plugin away, \`/mcp\` in ${host} its server.`;
  }
  if (!changed) return enabled ? `${host} has it already, in ${file}.` : `${host} does not have it: ${file}.`;
  return enabled
    ? `${host} has recall from its next session on: the server ${mcpServerName} in ${file}.`
    : `${host} has no recall over MCP any more: the server ${mcpServerName} is out of ${file}.`;
}

function showStatus(context: CliContext, host: string | undefined, asJson: boolean): void {
  const { io } = context;
  const states = hostsOf(context, host).map((one) => mcpSwitchOf(context.paths()).state(one));
  const isWished = installsOf(context.paths()).mcpWish() === true;
  const enabled = states.length === 0 ? isWished : states.every((state) => state.enabled);
  if (asJson) io.json({ enabled, hosts: states });
  else if (states.length === 0)
    io.out("No host agent remembers through mem: `mem install claude-code` lets it.");
  for (const state of asJson ? [] : states) {
    const where = state.plugin === null ? homePath(state.file) : `from the plugin ${state.plugin}`;
    io.out(`${state.host}: ${state.enabled ? "on" : "off"} (${where})`);
  }
}

// One that is named need not be installed: a plugin brings hooks that no record tells of.
function hostsOf(context: CliContext, name: string | undefined): McpHost[] {
  if (name === undefined) return mcpHosts(context);
  const recipe = recipeOf(name);
  return [{ recipe, settingsFile: settingsFileOf(recipe, context) }];
}

async function serve(context: CliContext): Promise<void> {
  const { io } = context;
  if (process.stdin.isTTY) {
    io.err(
      "This speaks the Model Context Protocol, which a host agent reads: `mem mcp enable` registers it.",
    );
  }
  const { serveMcp } = await import("../mcp/serve.ts");
  await serveMcp({ worker: startingWorker(context), version: version(), complain: (line) => io.err(line) });
}

/** The client of the worker; a call that finds none starts it and asks again. */
function startingWorker(context: CliContext): WorkerClient {
  const worker = context.worker();
  let starting: Promise<void> | undefined;

  async function start(): Promise<void> {
    const { dataDir } = context.settings("write");
    const { environment, clock } = context;
    await startWorker({ dataDir, environment, clock });
  }

  async function asked<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof MemError) || error.code !== "worker_unreachable") throw error;
      starting ??= start().finally(() => {
        starting = undefined;
      });
      await starting;
      return ask();
    }
  }

  return {
    ...worker,
    search: (parameters) => asked(() => worker.search(parameters)),
    timeline: (parameters) => asked(() => worker.timeline(parameters)),
    recent: (page) => asked(() => worker.recent(page)),
    observationsOf: (ids, project) => asked(() => worker.observationsOf(ids, project)),
    summary: (id, project) => asked(() => worker.summary(id, project)),
    prompt: (id, project) => asked(() => worker.prompt(id, project)),
  };
}
