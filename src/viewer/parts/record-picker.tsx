// Finds the observation that replaces another, by its number or by words. Only what can replace it is offered.
import { useEffect, useRef, useState } from "preact/hooks";
import { Shown, useLoaded } from "../answer.tsx";
import type { Api } from "../api.ts";
import { ApiFault } from "../faults.ts";
import type { ObservationRecord } from "../records.ts";
import { useViewer } from "../viewer.ts";
import { InlineCode } from "./inline-code.tsx";

interface RecordPickerProps {
  label: string;
  /** The observation that is replaced. */
  record: ObservationRecord;
  onPick(id: number): void;
  onCancel(): void;
}

export function RecordPicker({ label, record, onPick, onCancel }: RecordPickerProps) {
  const { api } = useViewer();
  const field = useRef<HTMLInputElement>(null);
  const [words, setWords] = useState("");
  useEffect(() => field.current?.focus(), []);
  const found = useLoaded((signal) => choicesFor(api, record, words, signal), [words, record.id]);
  return (
    <div class="picker">
      <label class="field">
        {label}: a number, or words of the observation
        <input
          ref={field}
          dir="auto"
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Escape" && onCancel()}
        />
      </label>
      <Shown of={found}>
        {({ choices, note }) => (
          <>
            {note !== null && <p class="quiet">{note}</p>}
            <ul>
              {choices.map(({ id, title }) => (
                <li key={id}>
                  <button type="button" onClick={() => onPick(id)}>
                    <span class="quiet">#{id}</span>{" "}
                    <span dir="auto">
                      <InlineCode text={title} />
                    </span>
                  </button>
                </li>
              ))}
            </ul>
          </>
        )}
      </Shown>
      <button type="button" class="link" onClick={onCancel}>
        Cancel
      </button>
    </div>
  );
}

interface Choices {
  choices: { id: number; title: string }[];
  note: string | null;
}

const shown = 8;
// Most of what a search finds may be reads and runs, which say nothing that could replace another record.
const searched = 40;

async function choicesFor(
  api: Api,
  record: ObservationRecord,
  words: string,
  signal: AbortSignal,
): Promise<Choices> {
  const typed = /^#?([1-9]\d{0,15})$/.exec(words.trim())?.[1];
  if (typed !== undefined) return byNumber(api, record, Number(typed), signal);
  const query = { query: words, type: "observations", project: record.project, limit: searched };
  const { observations } = await api.get("/api/search", query, signal);
  const choices = observations
    .filter(
      ({ id, status = "active", routine = 0 }) => id !== record.id && status === "active" && routine === 0,
    )
    .slice(0, shown);
  return { choices, note: choices.length === 0 ? "No observation of this project fits." : null };
}

async function byNumber(
  api: Api,
  record: ObservationRecord,
  id: number,
  signal: AbortSignal,
): Promise<Choices> {
  const none = (note: string): Choices => ({ choices: [], note });
  if (id === record.id) return none(`#${id} is this observation itself.`);
  try {
    const { title, project, status } = await api.get(`/api/observation/${id}`, {}, signal);
    if (project !== record.project) return none(`#${id} is of another project, ${project}.`);
    if (status !== "active")
      return none(`#${id} is ${status === "rejected" ? "rejected" : "replaced"} itself.`);
    return { choices: [{ id, title }], note: null };
  } catch (error) {
    if (error instanceof ApiFault && error.code === "not_found")
      return none(`There is no observation ${id}.`);
    throw error;
  }
}
