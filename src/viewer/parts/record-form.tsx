// Edits the texts of a record. Only what changed is sent.
import { useRef, useState } from "preact/hooks";
import { wholeText } from "../../core/records/quoted-text.ts";
import { observationTypes, parseList } from "../../core/records/records.ts";
import type { Json } from "../../text/json.ts";
import { editRecord } from "../actions.ts";
import { summaryParts } from "../lines.ts";
import type { AnyRecord } from "../records.ts";
import { useViewer } from "../viewer.ts";

interface Field {
  name: string;
  label: string;
  /** As it is shown in the form. */
  text: string;
  rows: number;
  /** What is sent for a text. */
  read(text: string): Json;
  choices?: readonly string[];
}

export function RecordForm({ found, onDone }: { found: AnyRecord; onDone: () => void }) {
  const viewer = useViewer();
  const form = useRef<HTMLFormElement>(null);
  const [isSaving, setIsSaving] = useState(false);
  const fields = fieldsOf(found);
  async function save(event: Event): Promise<void> {
    event.preventDefault();
    if (form.current === null || isSaving) return;
    const change = changeOf(fields, new FormData(form.current));
    if (Object.keys(change).length === 0) return onDone();
    setIsSaving(true);
    const isSaved = await viewer.act(() => editRecord(viewer.api, found.kind, found.record.id, change));
    setIsSaving(false);
    if (isSaved) onDone();
  }
  function pressed(event: KeyboardEvent): void {
    if (event.key === "Escape") onDone();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void save(event);
  }
  return (
    <form ref={form} class="record-form" onSubmit={(event) => void save(event)} onKeyDown={pressed}>
      {fields.map((field, at) => (
        <div key={field.name} class="field">
          <label for={`edit-${field.name}`}>{field.label}</label>
          <FieldInput field={field} isFirst={at === 0} />
        </div>
      ))}
      <div class="buttons">
        <button type="submit" class="primary" disabled={isSaving}>
          Save
        </button>
        <button type="button" onClick={onDone}>
          Cancel
        </button>
        <span class="quiet">Undo is possible for 30 days.</span>
      </div>
    </form>
  );
}

function FieldInput({ field: { name, text, rows, choices }, isFirst }: { field: Field; isFirst: boolean }) {
  const focus = (element: HTMLElement | null) => {
    if (isFirst) element?.focus();
  };
  if (rows > 1)
    return (
      <textarea ref={focus} dir="auto" id={`edit-${name}`} name={name} rows={rows} defaultValue={text} />
    );
  if (choices === undefined)
    return <input ref={focus} dir="auto" id={`edit-${name}`} name={name} defaultValue={text} />;
  return (
    <>
      <input ref={focus} id={`edit-${name}`} name={name} defaultValue={text} list={`${name}-choices`} />
      <datalist id={`${name}-choices`}>
        {choices.map((choice) => (
          <option key={choice} value={choice} />
        ))}
      </datalist>
    </>
  );
}

function changeOf(fields: readonly Field[], written: FormData): Record<string, Json> {
  const change: Record<string, Json> = {};
  for (const { name, text, read } of fields) {
    const now = String(written.get(name) ?? "").replaceAll("\r\n", "\n");
    if (now !== text) change[name] = read(now);
  }
  return change;
}

const asText = (text: string) => text;
const asLines = (text: string) => entries(text, "\n");
const asWords = (text: string) => entries(text, ",");

function entries(text: string, separator: string): string[] {
  return text
    .split(separator)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

function fieldsOf(found: AnyRecord): Field[] {
  switch (found.kind) {
    case "prompt":
      return [
        { name: "prompt_text", label: "Prompt", text: found.record.prompt_text, rows: 8, read: asText },
      ];
    case "summary":
      return summaryParts.map(([name, label]) => ({
        name,
        label,
        text: found.record[name] ?? "",
        rows: 3,
        read: asText,
      }));
    case "observation": {
      const { title, subtitle, obs_type, facts, concepts } = found.record;
      return [
        { name: "title", label: "Title", text: title, rows: 1, read: asText },
        { name: "subtitle", label: "Subtitle", text: subtitle ?? "", rows: 1, read: asText },
        { name: "text", label: "Text", text: wholeText(found.record).trim(), rows: 8, read: asText },
        {
          name: "facts",
          label: "Facts, one on each line",
          text: parseList(facts).join("\n"),
          rows: 4,
          read: asLines,
        },
        {
          name: "concepts",
          label: "Concepts, separated by commas",
          text: parseList(concepts).join(", "),
          rows: 1,
          read: asWords,
        },
        {
          name: "obs_type",
          label: "Type",
          text: obs_type,
          rows: 1,
          read: asText,
          choices: observationTypes,
        },
      ];
    }
  }
}
