// The place of the page, scrolled to where the reader left it.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { presentEntry } from "../location.ts";

/** The page, scrolled to where the reader left this entry of the history. */
export function Main({ title, children }: { title: string; children: ComponentChildren }) {
  const main = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const entry = presentEntry();
    if (main.current === null || entry.top === 0) return;
    return scrollUntilSettled(main.current, () => entry.top);
  }, []);
  return (
    <main ref={main} id="main" tabIndex={-1} aria-label={title}>
      {children}
    </main>
  );
}

const inputs = ["wheel", "touchstart", "pointerdown", "keydown"] as const;
const settledMs = 3_000;

// The content above comes in later. Scrolls to `top()` now and whenever the content changes its height, until the reader
// does something.
function scrollUntilSettled(scroller: HTMLElement, top: () => number): () => void {
  const scroll = () => scroller.scrollTo({ top: top(), behavior: "instant" });
  const resized = new ResizeObserver(scroll);
  for (const child of scroller.children) resized.observe(child);
  for (const input of inputs) addEventListener(input, stop, { passive: true });
  const timer = setTimeout(stop, settledMs);
  function stop(): void {
    clearTimeout(timer);
    resized.disconnect();
    for (const input of inputs) removeEventListener(input, stop);
  }
  scroll();
  return stop;
}
