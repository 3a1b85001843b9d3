// The built `mem` on a pseudo-terminal, its output shown by a terminal without a window.

import { fileURLToPath } from "node:url";
import { spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { onTestFinished } from "vitest";
import { until, type WorkerHome } from "../../helpers/worker-process.ts";

const bin = fileURLToPath(new URL("../../../bin/mem.js", import.meta.url));

export interface PseudoTerminal {
  pid: number;
  /** Types keys; `\r` is Enter, `\x1b` Escape. */
  type(keys: string): void;
  resize(columns: number, rows: number): void;
  /** The screen, a line per row, without spaces at line ends. */
  screen(): string[];
  /** Resolves with the screen once it shows the text. */
  shows(text: string | RegExp): Promise<string>;
  /** Resolves with the screen once it does not show the text any more. */
  hides(text: string): Promise<string>;
  /** Everything that was written to the terminal. */
  written(): string;
  /** True while the program shows its screen instead of the shell's. */
  isAlternate(): boolean;
  exit: Promise<{ exitCode: number; signal?: number | undefined }>;
}

interface Options {
  columns?: number;
  rows?: number;
  env?: NodeJS.ProcessEnv;
  /** A script for bash with job control, which finds the words of the program in `"$@"`. */
  script?: string;
}

/** Starts `mem` with `words`; it is killed when the test ends. */
export function openTerminal(
  home: WorkerHome,
  words: readonly string[],
  options: Options = {},
): PseudoTerminal {
  const { columns = 80, rows = 24, env = {}, script } = options;
  const program = [process.execPath, bin, ...words] as const;
  const [file, ...args] = script === undefined ? program : ["bash", "-mc", script, "bash", ...program];
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  const pty = spawn(file, args, {
    name: env.TERM ?? "xterm-256color",
    cols: columns,
    rows,
    env: { ...home.env, TERM: "xterm-256color", ...env },
  });
  let written = "";
  pty.onData((text) => {
    written += text;
    terminal.write(text);
  });
  // After the last bytes: the terminal reads what it was given in later turns.
  const exit = new Promise<{ exitCode: number; signal?: number | undefined }>((resolve) =>
    pty.onExit((end) => terminal.write("", () => resolve(end))),
  );
  onTestFinished(async () => {
    pty.kill("SIGKILL");
    await exit;
    terminal.dispose();
  });
  const screen = () => {
    const { active } = terminal.buffer;
    return Array.from({ length: terminal.rows }, (_, at) =>
      (active.getLine(active.viewportY + at)?.translateToString(true) ?? "").trimEnd(),
    );
  };
  const text = () => screen().join("\n");
  const waitFor = async (isThere: () => boolean, what: string) => {
    await until(() => isThere() || undefined, 20_000, what).catch((error: unknown) => {
      throw new Error(`${String(error)}\nThe screen:\n${text()}`);
    });
    return text();
  };
  return {
    pid: pty.pid,
    type: (keys) => pty.write(keys),
    resize(width, height) {
      terminal.resize(width, height);
      pty.resize(width, height);
    },
    screen,
    shows: (wanted) =>
      waitFor(
        () => (typeof wanted === "string" ? text().includes(wanted) : wanted.test(text())),
        String(wanted),
      ),
    hides: (unwanted) => waitFor(() => !text().includes(unwanted), `no ${unwanted}`),
    written: () => written,
    isAlternate: () => terminal.buffer.active.type === "alternate",
    exit,
  };
}
