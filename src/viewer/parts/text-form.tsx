// A text to write: save with the button or Ctrl+Enter, leave with Escape.
import { useEffect, useRef, useState } from "preact/hooks";

interface TextFormProps {
  label: string;
  text?: string;
  save: string;
  onSave(text: string): Promise<void>;
  onCancel(): void;
}

export function TextForm({ label, text = "", save, onSave, onCancel }: TextFormProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [isSaving, setIsSaving] = useState(false);
  useEffect(() => field.current?.focus(), []);
  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    const written = field.current?.value.trim() ?? "";
    if (written === "" || isSaving) return;
    setIsSaving(true);
    await onSave(written);
    setIsSaving(false);
  }
  function pressed(event: KeyboardEvent): void {
    if (event.key === "Escape") onCancel();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void submit(event);
  }
  return (
    <form class="text-form" onSubmit={(event) => void submit(event)}>
      <label class="field">
        {label}
        <textarea ref={field} dir="auto" defaultValue={text} onKeyDown={pressed} />
      </label>
      <div class="buttons">
        <button type="submit" class="primary" disabled={isSaving}>
          {save}
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}
