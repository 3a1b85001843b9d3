// A command to run in a terminal, with a button that copies it; and sentences that contain some.
import { useEffect, useState } from "preact/hooks";
import { useViewer } from "../viewer.ts";

const shownMs = 2_000;

export function Command({ text }: { text: string }) {
  const viewer = useViewer();
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), shownMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  async function copy(): Promise<void> {
    const isDone = await viewer.act(async () => {
      await navigator.clipboard.writeText(text);
      return undefined;
    });
    setIsCopied(isDone);
  }
  return (
    <span class="command">
      <code>{text}</code>
      <button type="button" class="link" aria-label={`Copy ${text}`} onClick={() => void copy()}>
        {isCopied ? "Copied" : "Copy"}
      </button>
    </span>
  );
}

/** A sentence of the worker: what stands in backticks is a command or a name; a command can be copied. */
export function Prose({ text }: { text: string }) {
  let start = 0;
  // The stop of a sentence would stand behind the button.
  const parts = text
    .replace(/(`(?:mem|claude|npm) [^`]+`)\.$/, "$1")
    .split(/(`[^`]+`)/)
    .map((part) => {
      start += part.length;
      if (!part.startsWith("`")) return part;
      const quoted = part.slice(1, -1);
      // The place in the text is the key.
      return isCommand(quoted) ? <Command key={start} text={quoted} /> : <code key={start}>{quoted}</code>;
    });
  return <>{parts}</>;
}

// A placeholder has to be filled in first, but the rest is worth copying.
function isCommand(text: string): boolean {
  return /^(mem|claude|npm) /.test(text);
}
