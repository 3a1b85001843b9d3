// Edits the texts of a record. Only what changed is sent.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { editRecord } from "../actions.ts";
import type { AnyRecord } from "../records.ts";
import { useViewer } from "../viewer.ts";
import { Problem, useDraft } from "./draft.tsx";
import { changeOf, type Field, fieldsOf, problemsOf } from "./record-fields.ts";

const noProblems: Readonly<Record<string, string>> = {};

/** `onDone` takes the form off the page. */
export function RecordForm({ found, onDone }: { found: AnyRecord; onDone: () => void }) {
  const viewer = useViewer();
  const form = useRef<HTMLFormElement>(null);
  const [isSaving, setIsSaving] = useState(false);
  const [problems, setProblems] = useState(noProblems);
  const fields = fieldsOf(found);
  const change = () => (form.current === null ? {} : changeOf(fields, new FormData(form.current)));
  const draft = useDraft(() => Object.keys(change()).length > 0, onDone);
  async function save(event: Event): Promise<void> {
    event.preventDefault();
    if (form.current === null || isSaving) return;
    const changed = change();
    if (Object.keys(changed).length === 0) return draft.close();
    const wrong = problemsOf(fields, new FormData(form.current));
    setProblems(wrong);
    const [first] = Object.keys(wrong);
    if (first !== undefined) return document.getElementById(`edit-${first}`)?.focus();
    setIsSaving(true);
    const isSaved = await viewer.act(() => editRecord(viewer.api, found.kind, found.record.id, changed));
    setIsSaving(false);
    if (isSaved) draft.close();
  }
  function pressed(event: KeyboardEvent): void {
    // An input method has these keys for itself.
    if (event.isComposing) return;
    if (event.key === "Escape") draft.leave();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void save(event);
  }
  return (
    <form
      ref={form}
      class="record-form"
      onSubmit={(event) => void save(event)}
      onKeyDown={pressed}
      onInput={() => setProblems(noProblems)}
    >
      {fields.map((field, at) => (
        <div key={field.name} class="field">
          <label for={`edit-${field.name}`}>{field.label}</label>
          <FieldInput field={field} isFirst={at === 0} isWrong={problems[field.name] !== undefined} />
          {problems[field.name] !== undefined && <Problem words={problems[field.name] ?? ""} />}
        </div>
      ))}
      {draft.question}
      <div class="buttons">
        <button type="submit" class="primary" disabled={isSaving}>
          Save
        </button>
        <button type="button" onClick={draft.leave}>
          Cancel
        </button>
        <span class="quiet">Undo is possible for 30 days.</span>
      </div>
    </form>
  );
}

interface FieldInputProps {
  field: Field;
  isFirst: boolean;
  isWrong: boolean;
}

function FieldInput({ field: { name, text, rows, choices }, isFirst, isWrong }: FieldInputProps) {
  const field = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    if (isFirst) field.current?.focus();
  }, []);
  const common = { ref: field, id: `edit-${name}`, name, defaultValue: text, "aria-invalid": isWrong };
  if (rows > 1) return <textarea {...common} dir="auto" rows={rows} />;
  if (choices === undefined) return <input {...common} dir="auto" />;
  return (
    <>
      <input {...common} list={`${name}-choices`} />
      <datalist id={`${name}-choices`}>
        {choices.map((choice) => (
          <option key={choice} value={choice} />
        ))}
      </datalist>
    </>
  );
}
