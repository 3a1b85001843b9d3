// An entry of a panel of Home: its text, edited where it stands, and what else may be done to it.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { recordLink } from "../lines.ts";
import { type Toast, useViewer } from "../viewer.ts";
import type { ListPlace } from "./folded-list.tsx";
import { InlineCode } from "./inline-code.tsx";
import { TextForm } from "./text-form.tsx";

/** An action that needs a text: it begins with the entry's own. */
interface Writing {
  name: string;
  label: string;
  save(text: string): Promise<Toast>;
}

interface PanelEntryProps {
  /** Of its observation. */
  id: number;
  /** For people: `Rule`. */
  name: string;
  text: string;
  writings: readonly Writing[];
  remove(): Promise<Toast>;
  place: ListPlace;
  /** The quiet line below the text. */
  children: ComponentChildren;
}

export function PanelEntry({ id, name, text, writings, remove, place, children }: PanelEntryProps) {
  const viewer = useViewer();
  const [writing, setWriting] = useState<Writing | null>(null);
  function write(chosen: Writing | null): void {
    setWriting(chosen);
    place.onForm(chosen !== null);
  }
  if (writing !== null)
    return (
      <>
        {place.isGone && (
          <p class="note" role="status">
            <a href={recordLink("observation", id)}>
              {name} #{id}
            </a>{" "}
            is no longer in this list. Your text is still here.
          </p>
        )}
        <TextForm
          label={writing.label}
          text={text}
          save={writing.name === "Edit" ? "Save" : writing.name}
          onSave={(written) => viewer.act(() => writing.save(written))}
          onClose={() => write(null)}
        />
      </>
    );
  return (
    <div class="panel-row">
      <a href={recordLink("observation", id)} dir="auto" data-row>
        <InlineCode text={text} />
      </a>
      <p class="row-detail">{children}</p>
      <div class="row-actions">
        {writings.map((each) => (
          <button key={each.name} type="button" class="link" onClick={() => write(each)}>
            {each.name}
          </button>
        ))}
        <button type="button" class="link" onClick={() => void viewer.act(remove)}>
          Remove
        </button>
      </div>
    </div>
  );
}
