// Replaces texts of summaries, prompts and titles of sessions with the user's words.
import { MemError } from "../../core/errors.ts";
import type { Session, SessionSummary, UserPrompt } from "../../core/records/records.ts";
import { type SummaryParts, summaryParts, summaryPartsOf } from "../../core/records/summary-parts.ts";
import { cleanText } from "../../privacy/clean.ts";
import { storable } from "./edit-text.ts";

/** At least one part; an empty one is removed. */
export type SummaryChange = { [Part in keyof SummaryParts]?: string | undefined };

interface EditDeps {
  commit<T>(write: () => T): Promise<T>;
  summaryById(id: number): SessionSummary | undefined;
  promptById(id: number): UserPrompt | undefined;
  sessionById(id: number): Session | undefined;
  /** Each stores the text, and the text before for an undo. */
  store: {
    summary(id: number, text: SummaryParts): SessionSummary | undefined;
    /** `sentIn`: a running model call of this session was sent the text before; its messages are queued again. */
    prompt(id: number, text: string): { record: UserPrompt | undefined; sentIn: number | null } | undefined;
    session(id: number, title: string): Session | undefined;
  };
  onEdited(kind: "summary" | "prompt", id: number): void;
  /** Discards the running model call of the session. */
  discardCall(sessionId: number): Promise<void>;
}

export type RecordEdits = ReturnType<typeof createRecordEdits>;

/** Each resolves to the changed record, undefined without one. Throws `invalid_request` for an empty or private text. */
export function createRecordEdits(deps: EditDeps) {
  const { commit, store, onEdited } = deps;

  // Only a change is stored, so that undoing it changes something.
  async function edit<R>(
    kind: "summary" | "prompt" | "session",
    id: number,
    how: { byId(id: number): R | undefined; isSame(before: R): boolean; write(before: R): R | undefined },
  ): Promise<R | undefined> {
    const { record, isChanged } = await commit(() => {
      const before = how.byId(id);
      if (before === undefined || how.isSame(before)) return { record: before, isChanged: false };
      return { record: how.write(before), isChanged: true };
    });
    if (isChanged && kind !== "session") onEdited(kind, id);
    return record;
  }

  return {
    async summary(id: number, change: SummaryChange) {
      const cleaned = Object.fromEntries(
        Object.entries(change).map(([part, text]) => [part, text ? storable(text, part) : null]),
      );
      const after = (before: SessionSummary) => demandPart({ ...summaryPartsOf(before), ...cleaned });
      return edit("summary", id, {
        byId: deps.summaryById,
        isSame: (before) => summaryParts.every((part) => after(before)[part] === before[part]),
        write: (before) => store.summary(id, after(before)),
      });
    },
    async prompt(id: number, { prompt_text }: { prompt_text: string }) {
      const text = storable(prompt_text, "prompt");
      const sentIn: number[] = [];
      const edited = await edit("prompt", id, {
        byId: deps.promptById,
        isSame: (before) => before.prompt_text === text,
        write() {
          const done = store.prompt(id, text);
          sentIn.push(...(done?.sentIn == null ? [] : [done.sentIn]));
          return done?.record;
        },
      });
      for (const session of sentIn) await deps.discardCall(session);
      return edited;
    },
    async session(id: number, title: string) {
      const cleaned = cleanText(title);
      return edit("session", id, {
        byId: deps.sessionById,
        isSame: (before) => before.title === cleaned,
        write: () => store.session(id, cleaned),
      });
    },
  };
}

function demandPart(text: SummaryParts): SummaryParts {
  if (summaryParts.some((part) => (text[part] ?? "") !== "")) return text;
  throw new MemError("invalid_request", {
    message: "A summary needs at least one part. Nothing was changed.",
    hint: "To remove it: DELETE /api/summaries/{id}.",
  });
}
