// The shell command of a tool use, whatever its host calls the tool and its argument.
import { isJsonObject, type Json, type JsonObject } from "../../text/json.ts";

interface ToolCommand {
  /** The argument that holds it; null when the input is the command itself, or holds none. */
  name: string | null;
  text: string;
}

/** The command in a tool's input; its text is empty when there is none. */
export function commandIn(input: Json | undefined): ToolCommand {
  if (typeof input === "string") return { name: null, text: input };
  const object: JsonObject = isJsonObject(input) ? input : {};
  for (const name of argumentNames) {
    const value = object[name];
    if (typeof value === "string") return { name, text: value };
    if (!Array.isArray(value)) continue;
    const words = value.filter((word): word is string => typeof word === "string");
    const script = words.findIndex((word) => /^-\w*c$/.test(word));
    return { name, text: (script > 0 ? words[script + 1] : undefined) ?? words.map(quoted).join(" ") };
  }
  return { name: null, text: "" };
}

/** True for the name under which a host runs shell commands. */
export function isShellTool(name: string): boolean {
  return shellTools.has(toolKey(name));
}

/** A tool's name in lower case without separators: hosts write `run_shell_command` and `RunShellCommand`. */
export function toolKey(name: string): string {
  return name.toLowerCase().replace(/[_\-\s]/g, "");
}

/** Names of shell tools of all hosts, as `toolKey` writes them. */
export const shellTools: ReadonlySet<string> = new Set(
  (
    "bash shell runshellcommand exec execcommand localshell powershell runterminalcmd runterminalcommand terminal " +
    "executecommand process bashoutput readbash writebash"
  ).split(" "),
);

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

const argumentNames = ["command", "cmd", "script", "code", "input", "CommandLine"];
