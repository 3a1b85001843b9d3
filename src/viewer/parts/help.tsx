// The overlay with the keys that work on this page.
import { useEffect, useRef } from "preact/hooks";
import { activeKeys, type KeyBinding } from "../keys.ts";
import { useValue } from "../observable.ts";

export function Help({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const bindings = useValue(activeKeys);
  useEffect(() => dialog.current?.showModal(), []);
  // A later binding covers those before it, unless it works only at times.
  const shown = [...bindings, ...builtIn].filter(
    ({ keys }, at, all) =>
      !all.slice(at + 1).some((later) => later.keys === keys && later.when === undefined),
  );
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title" onClose={onClose}>
      <h2 id="help-title">Keyboard</h2>
      <dl>
        {shown.map(({ keys, what }) => (
          <div key={`${keys} ${what}`}>
            <dt>
              {keys.split(" ").map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={() => dialog.current?.close()}>
        Close
      </button>
    </dialog>
  );
}

const builtIn: readonly Omit<KeyBinding, "run">[] = [
  { keys: "enter", what: "Open the record" },
  { keys: "esc", what: "Close, or leave the field" },
];
