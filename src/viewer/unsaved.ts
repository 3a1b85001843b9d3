// Drafts: text in open forms that is not saved. Leaving their page asks first.

/** An open form. */
export interface Draft {
  /** True when the form differs from what is stored. */
  isChanged(): boolean;
  /** Asks the user; calls `leave` when the changes are discarded. */
  ask(leave: () => void): void;
}

const drafts = new Set<Draft>();

/** Holds `draft` until the returned function is called. */
export function holdDraft(draft: Draft): () => void {
  drafts.add(draft);
  // Only while a form is open: with such a listener some browsers do not keep the page for the way back.
  addEventListener("beforeunload", askBrowser);
  return () => {
    drafts.delete(draft);
    if (drafts.size === 0) removeEventListener("beforeunload", askBrowser);
  };
}

/** True when text would be lost now. */
export function hasUnsaved(): boolean {
  return unsaved() !== undefined;
}

/** Calls `leave` now, or after the changes of every open form were discarded. */
export function leaveUnsaved(leave: () => void): void {
  const draft = unsaved();
  if (draft === undefined) leave();
  else draft.ask(() => leaveUnsaved(leave));
}

function unsaved(): Draft | undefined {
  return [...drafts].find((draft) => draft.isChanged());
}

function askBrowser(event: BeforeUnloadEvent): void {
  if (hasUnsaved()) event.preventDefault();
}
