// The keyboard: keys by name, such as `j`, `down` and `ctrl-d`; pasted text as a whole.
import { emitKeypressEvents, type Interface, type Key } from "node:readline";
import type { ProgramEvent } from "./state.ts";

// After this time, an escape is the key and not the beginning of a sequence.
const escapeCodeTimeout = 50;

/** Reads keys while it is open. */
export function createKeyboard(stdin: NodeJS.ReadStream, onEvent: (event: ProgramEvent) => void) {
  const read = createKeyReader(onEvent);
  // Only the timeout of an interface is read.
  emitKeypressEvents(stdin, { escapeCodeTimeout } as unknown as Interface);
  return {
    open(): void {
      stdin.setRawMode(true);
      stdin.on("keypress", read);
      stdin.resume();
    },
    close(): void {
      stdin.off("keypress", read);
      // A program that is started meanwhile reads the keys.
      stdin.pause();
      stdin.setRawMode(false);
    },
  };
}

/** Takes one key press after the other and calls `onEvent` for those that have a name. */
export function createKeyReader(
  onEvent: (event: ProgramEvent) => void,
): (text: string | undefined, key: Key) => void {
  let pasted: string | null = null;
  return (text = "", key) => {
    if (key.name === "paste-start") pasted = "";
    else if (key.name === "paste-end") {
      const whole = pasted ?? "";
      pasted = null;
      onEvent({ is: "pasted", text: whole });
    } else if (pasted !== null) pasted += isNamed(key, "return", "enter") ? "\n" : text;
    else {
      const name = keyName(text, key);
      if (name !== undefined) onEvent({ is: "key", key: name });
    }
  };
}

const names: Readonly<Record<string, string>> = {
  return: "enter",
  enter: "enter",
  escape: "esc",
  tab: "tab",
  backspace: "backspace",
  delete: "delete",
  up: "up",
  down: "down",
  left: "left",
  right: "right",
  home: "home",
  end: "end",
  pageup: "pageup",
  pagedown: "pagedown",
};

/** The name of a key; undefined for Alt and a letter, and for keys that do nothing here. */
function keyName(text: string, key: Key): string | undefined {
  const { name = "", ctrl = false, meta = false, shift = false } = key;
  if (name === "escape") return "esc";
  if (meta) return undefined;
  if (name === "tab" && shift) return "shift-tab";
  if (Object.hasOwn(names, name)) return names[name];
  if (ctrl) return name === "" ? undefined : `ctrl-${name}`;
  return [...text].length === 1 && text >= " " ? text : undefined;
}

function isNamed({ name = "" }: Key, ...wanted: readonly string[]): boolean {
  return wanted.includes(name);
}
