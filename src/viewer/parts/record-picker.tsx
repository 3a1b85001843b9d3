// Finds another observation of the project by its id or by words.
import { useEffect, useRef, useState } from "preact/hooks";
import { Shown, useLoaded } from "../answer.tsx";
import { useViewer } from "../viewer.ts";

interface RecordPickerProps {
  label: string;
  project: string;
  /** The record that asks. */
  except: number;
  onPick(id: number): void;
  onCancel(): void;
}

export function RecordPicker({ label, project, except, onPick, onCancel }: RecordPickerProps) {
  const { api } = useViewer();
  const field = useRef<HTMLInputElement>(null);
  const [words, setWords] = useState("");
  useEffect(() => field.current?.focus(), []);
  const query = { query: words, type: "observations", project, limit: 8 };
  const found = useLoaded((signal) => api.get("/api/search", query, signal), [words, project]);
  const typedId = /^#?([1-9]\d{0,15})$/.exec(words.trim())?.[1];
  return (
    <div class="picker">
      <label class="field">
        {label}: an id, or words of the observation
        <input
          ref={field}
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Escape" && onCancel()}
        />
      </label>
      <Shown of={found}>
        {({ observations }) => (
          <ul>
            {typedId !== undefined && (
              <li>
                <button type="button" onClick={() => onPick(Number(typedId))}>
                  #{typedId}
                </button>
              </li>
            )}
            {observations
              .filter(({ id }) => id !== except)
              .map(({ id, title }) => (
                <li key={id}>
                  <button type="button" onClick={() => onPick(id)}>
                    <span class="quiet">#{id}</span> <span dir="auto">{title}</span>
                  </button>
                </li>
              ))}
          </ul>
        )}
      </Shown>
      <button type="button" class="link" onClick={onCancel}>
        Cancel
      </button>
    </div>
  );
}
