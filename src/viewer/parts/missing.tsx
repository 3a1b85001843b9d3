// What the page of a record says when there is none: it is in the trash, was never there, or the address is wrong.
import type { ComponentChildren } from "preact";
import { kindNames, restoreFromTrash } from "../actions.ts";
import { Shown, useLoaded } from "../answer.tsx";
import type { Reads } from "../api.ts";
import { fullTime } from "../clock.ts";
import type { Kind } from "../lines.ts";
import { linkTo } from "../links.ts";
import { useViewer } from "../viewer.ts";
import { InlineCode } from "./inline-code.tsx";

interface MissingProps {
  kind: Kind | "session";
  id: number;
  /** Called when the record was restored. */
  onRestored(): void;
}

/** A record that the worker does not have, or no longer. */
export function Missing({ kind, id, onRestored }: MissingProps) {
  const { api } = useViewer();
  const loaded = useLoaded((signal) => api.get("/api/trash", { kind, id }, signal), [kind, id]);
  const name = `${kindNames[kind]} ${id}`;
  return (
    <Shown of={loaded}>
      {({ items: [entry] }) =>
        entry === undefined ? (
          <Nothing title={`There is no ${name.toLowerCase()}`}>
            Either the address is mistyped, or it was deleted more than 30 days ago.
          </Nothing>
        ) : (
          <InTrash
            name={name}
            entry={entry}
            isOfSession={kind !== "session" && entry.kind === "session"}
            onRestored={onRestored}
          />
        )
      }
    </Shown>
  );
}

interface InTrashProps {
  name: string;
  entry: Reads["/api/trash"]["items"][number];
  /** Deleted with its session. */
  isOfSession: boolean;
  onRestored(): void;
}

function InTrash({ name, entry, isOfSession, onRestored }: InTrashProps) {
  const viewer = useViewer();
  async function restore(): Promise<void> {
    if (await viewer.act(() => restoreFromTrash(viewer.api, entry))) onRestored();
  }
  return (
    <div class="missing">
      <h1>{name} is in the trash</h1>
      <p>
        {isOfSession && "It was deleted with its session: "}
        <span dir="auto">
          “<InlineCode text={entry.title} />”
        </span>
        {isOfSession ? " on " : " was deleted on "}
        {fullTime(entry.at_epoch)}.
      </p>
      <div class="buttons">
        <button type="button" class="primary" onClick={() => void restore()}>
          {isOfSession ? "Restore the session" : "Restore"}
        </button>
        <a class="button" href={linkTo("/trash")}>
          Open the trash
        </a>
      </div>
    </div>
  );
}

/** A page for an address that leads nowhere. */
export function Nothing({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div class="missing">
      <h1>{title}</h1>
      <p>{children}</p>
      <div class="buttons">
        <a class="button" href={linkTo("/search")}>
          Search
        </a>
        <a class="button" href={linkTo("/")}>
          Home
        </a>
      </div>
    </div>
  );
}
