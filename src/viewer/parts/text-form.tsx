// A text to write: save with the button or Ctrl+Enter, leave with Escape.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Problem, useDraft } from "./draft.tsx";

interface TextFormProps {
  label: string;
  text?: string;
  save: string;
  /** Resolves to whether the text is saved; then the form is closed. */
  onSave(text: string): Promise<boolean>;
  /** Takes the form off the page. */
  onClose(): void;
}

export function TextForm({ label, text = "", save, onSave, onClose }: TextFormProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [isSaving, setIsSaving] = useState(false);
  const [isEmpty, setIsEmpty] = useState(false);
  const written = () => field.current?.value.trim() ?? "";
  const draft = useDraft(() => written() !== text.replaceAll("\r\n", "\n").trim(), onClose);
  useLayoutEffect(() => field.current?.focus(), []);
  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    setIsEmpty(written() === "");
    if (written() === "") return field.current?.focus();
    if (isSaving) return;
    setIsSaving(true);
    const isSaved = await onSave(written());
    setIsSaving(false);
    if (isSaved) draft.close();
  }
  function pressed(event: KeyboardEvent): void {
    // An input method has these keys for itself.
    if (event.isComposing) return;
    if (event.key === "Escape") draft.leave();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void submit(event);
  }
  return (
    <form
      class="text-form"
      onSubmit={(event) => void submit(event)}
      onKeyDown={pressed}
      onInput={() => setIsEmpty(false)}
    >
      <label class="field">
        {label}
        <textarea ref={field} dir="auto" defaultValue={text} aria-invalid={isEmpty} />
      </label>
      {isEmpty && <Problem words="The text is empty. Write something, or press Esc to leave it as it was." />}
      {draft.question}
      <div class="buttons">
        <button type="submit" class="primary" disabled={isSaving}>
          {save}
        </button>
        <button type="button" onClick={draft.leave}>
          Cancel
        </button>
      </div>
    </form>
  );
}
