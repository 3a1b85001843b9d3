// The next step below a finding, in lines that fit the terminal. A command is copied: it is broken only where a shell
// reads on in the next line, and a path never is.
import { displayWidth, terminalLine } from "../text/terminal-text.ts";

/** The lines of `next`, each at most `columns` wide where its parts allow it. */
export function stepLines(next: string, columns: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const part of partsOf(terminalLine(next), columns)) {
    if (line !== "" && displayWidth(`${line} ${part}`) > columns) {
      lines.push(line);
      line = part;
    } else line = line === "" ? part : `${line} ${part}`;
  }
  return line === "" ? lines : [...lines, line];
}

// Sentences begin with a capital letter, or with a command in backticks; everything else is a command.
function partsOf(text: string, columns: number): string[] {
  if (!/^[A-Z`]/.test(text)) return text.split(/(?<=&&) | (?=\()/);
  const parts = text.match(/\S*`[^`]*`\S*|\S+/g) ?? [];
  return parts.flatMap((part) => (displayWidth(part) > columns ? part.split(" ") : [part]));
}
