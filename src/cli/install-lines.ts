// What `mem install` and `mem uninstall` change in the files of hosts, as lines and as JSON.
import type { HostAt } from "../hosts/host-places.ts";
import type { HostPlan, HostState, PlannedFile } from "../hosts/installer.ts";
import type { HostFile } from "../hosts/integration.ts";
import { planFile, registered } from "../hosts/registration.ts";
import type { HookProbe } from "./hook-probe.ts";
import { counted, homePath } from "./words.ts";

/** One host, with what would change in its files. */
export interface Planned {
  host: HostAt;
  state: HostState;
  plan: HostPlan;
  warnings: string[];
}

/** The files that the plan changes. */
export function changedFiles({ files }: HostPlan): PlannedFile[] {
  return files.filter(({ before, after }) => before !== after);
}

/** Whether the plan registers the MCP server. */
export function hasMcp({ files }: HostPlan): boolean {
  return files.some(({ file, after }) => registered(file, after, "mcp").exact > 0);
}

/** The lines before the question: the host, then each file and its entries. */
export function planInWords({ host, plan }: Planned): string[] {
  const { title } = host.agent.integration;
  const files = changedFiles(plan).map(
    (file) => `  ${homePath(file.file.path)}: ${entriesInWords(host, file)}${grantsIn(file)}`,
  );
  return [title, ...files, ...plan.refused.map(({ message }) => `  left as it is: ${message}`)];
}

/** The lines after an installation; `next` are the steps that are left to the user. */
export function installedInWords(
  { host, plan }: Planned,
  probes: readonly HookProbe[],
  next: readonly string[],
): string[] {
  const { title } = host.agent.integration;
  const changed = changedFiles(plan);
  const places = (changed.length === 0 ? plan.files : changed).filter(({ record }) => record !== null);
  const where = places.map(
    (file) => `${entriesInWords(host, file)} registered in ${homePath(file.file.path)}${grantsIn(file)}`,
  );
  const lacksMcp = plan.refused.length > 0 && !hasMcp(plan);
  const works = probes.filter(({ problem }) => problem === null).length;
  return [
    `${title}: ${changed.length === 0 ? "already installed" : "installed"}${lacksMcp ? ", without the MCP server" : ""}.`,
    ...where.map((line) => `  ${line}`),
    ...(probes.length === 0
      ? []
      : [`  ${works} of ${counted(probes.length, "hook")} checked: the worker answers.`]),
    ...next.map((step) => `  Next: ${step}`),
  ];
}

// What the entries of the file allow besides.
function grantsIn({ file, record, after }: PlannedFile): string {
  if (record === null) return "";
  const servers = registered(file, after, "mcp").exact > 0 && file.syntax !== "own" ? file.mcp : [];
  const entries = file.syntax === "own" ? [file] : [...(file.hooks ?? []), ...(servers ?? [])];
  return entries.flatMap(({ grants }) => (grants === undefined ? [] : `; ${grants}`)).join("");
}

/** What `--print` shows: each file, with the entries as they would be in a new file. */
export function printedFiles({ host, plan }: Planned): string[] {
  const wanted = plan.files.filter(({ record }) => record !== null);
  return wanted.map(({ file, after }) => {
    const parts = new Set(
      (["hooks", "mcp"] as const).filter((part) => registered(file, after, part).exact > 0),
    );
    const { folder } = host.place;
    const request = { host: host.agent.host.name, folder, file, before: null, earlier: undefined, parts };
    return `# ${homePath(file.path)}\n${(planFile(request).after ?? "").trimEnd()}`;
  });
}

/** One host for `--json`. */
export function hostAsJson({ host, state, plan }: Planned): object {
  const { integration } = host.agent;
  return {
    host: host.agent.host.name,
    title: integration.title,
    folder: host.place.folder,
    changed: changedFiles(plan).length > 0,
    files: plan.files.map(({ file, before, after }) => ({
      path: file.path,
      changed: before !== after,
      hooks: hooksIn(host, file, registered(file, after, "hooks").exact),
      mcp: registered(file, after, "mcp").exact > 0,
    })),
    plugin: state.plugin,
    next: integration.next.map(({ text }) => text),
  };
}

function entriesInWords(host: HostAt, { file, after }: PlannedFile): string {
  const [hooks, mcp] = [registered(file, after, "hooks").exact, registered(file, after, "mcp").exact];
  const words = [
    ...(hooks === 0 ? [] : [hooksInWords(host, { count: hooks, isWhole: file.syntax === "own" })]),
    ...(mcp === 0 ? [] : ["the MCP server mem"]),
  ];
  return words.length === 0 ? "without mem" : words.join(" and ");
}

/** `7 hooks`, `3 entries` or `the plugin`. A whole file of ours has all hooks of its host, or is a plugin. */
export function hooksInWords(
  { agent }: HostAt,
  { count, isWhole }: { count: number; isWhole: boolean },
): string {
  const { length } = agent.integration.hooks;
  if (length > 0) return counted(isWhole ? length : count, "hook");
  return isWhole ? "the plugin" : counted(count, "entry", "entries");
}

function hooksIn({ agent }: HostAt, { syntax }: HostFile, count: number): number {
  const { length } = agent.integration.hooks;
  return syntax === "own" && count > 0 && length > 0 ? length : count;
}
