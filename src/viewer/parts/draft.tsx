// What forms share: the question before unsaved text is lost, and the problem of a field.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { holdDraft } from "../unsaved.ts";

interface OpenDraft {
  /** The question while it is asked, to be shown in the form. */
  question: ComponentChildren;
  /** Closes the form, after the question when text would be lost; a second Escape keeps editing. */
  leave(): void;
  /** Closes the form without a question: its text is saved. */
  close(): void;
}

/** Watches over a form while it is shown. `close` must take it off the page. */
export function useDraft(isChanged: () => boolean, close: () => void): OpenDraft {
  const latest = useRef({ isChanged, close });
  latest.current = { isChanged, close };
  const isDone = useRef(false);
  const [asked, setAsked] = useState<{ leave(): void } | null>(null);
  const isUnsaved = () => !isDone.current && latest.current.isChanged();

  function done(): void {
    isDone.current = true;
    setAsked(null);
    latest.current.close();
  }
  useLayoutEffect(() => holdDraft({ isChanged: isUnsaved, ask: (leave) => setAsked({ leave }) }), []);

  const question = asked && (
    <Question
      onDiscard={() => {
        done();
        asked.leave();
      }}
      onKeep={() => setAsked(null)}
    />
  );
  return {
    question,
    leave() {
      if (asked !== null) setAsked(null);
      else if (isUnsaved()) setAsked({ leave: () => undefined });
      else done();
    },
    close: done,
  };
}

function Question({ onDiscard, onKeep }: { onDiscard: () => void; onKeep: () => void }) {
  const keep = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    const form = keep.current?.closest("form");
    const active = document.activeElement;
    const isInForm = form?.contains(active) === true;
    const field = isInForm ? active : form?.querySelector("input, textarea");
    // A reader who types elsewhere, as in the search box, goes on.
    if (isInForm || !(active instanceof HTMLInputElement)) keep.current?.focus();
    keep.current?.scrollIntoView({ block: "nearest" });
    return () => {
      if (field instanceof HTMLElement && field.isConnected) field.focus();
    };
  }, []);
  return (
    <div class="question" role="alertdialog" aria-label="Unsaved changes">
      <p>Discard the changes?</p>
      <button type="button" class="danger" onClick={onDiscard}>
        Discard
      </button>
      <button ref={keep} type="button" onClick={onKeep}>
        Keep editing
      </button>
    </div>
  );
}

/** Why a field cannot be saved as it is. */
export function Problem({ words }: { words: string }) {
  return (
    <p class="problem" role="alert">
      {words}
    </p>
  );
}
