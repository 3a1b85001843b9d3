// The message at the bottom, with Undo where there is something to take back.
import { useEffect } from "preact/hooks";
import { useValue } from "../observable.ts";
import { useViewer } from "../viewer.ts";
import { InlineCode } from "./inline-code.tsx";

const shownMs = 10_000;

export function ToastLine() {
  const viewer = useViewer();
  const toast = useValue(viewer.toast);
  useEffect(() => {
    if (toast === null) return;
    const timer = setTimeout(() => viewer.toast.set(null), shownMs);
    return () => clearTimeout(timer);
  }, [toast]);
  return (
    <div class="toasts" role={toast?.isFault ? "alert" : "status"}>
      {toast !== null && (
        <div class={toast.isFault ? "toast failed" : "toast"}>
          <p dir="auto">
            <InlineCode text={toast.text} />
            {toast.hint && (
              <span class="quiet">
                {" "}
                <InlineCode text={toast.hint} />
              </span>
            )}
          </p>
          {toast.undo && (
            <button type="button" aria-keyshortcuts="u" onClick={() => void viewer.undo()}>
              Undo <kbd>u</kbd>
            </button>
          )}
          <button
            type="button"
            class="icon-button"
            aria-label="Dismiss"
            onClick={() => viewer.toast.set(null)}
          >
            ×
          </button>
        </div>
      )}
    </div>
  );
}
