// One record in a list: its type, title, project and age at a glance.
import { ageOf, fullTime, useNow } from "../clock.ts";
import { type Line, projectIn, recordLink } from "../lines.ts";
import { Marked, type Marker } from "./highlight.tsx";
import { InlineCode } from "./inline-code.tsx";

interface RecordRowProps {
  line: Line;
  /** False where all records are of one project. */
  showProject?: boolean;
  /** Marks the words of a search. */
  marker?: Marker;
  /** True for the record that a timeline is about. */
  isAnchor?: boolean;
}

export function RecordRow({ line, showProject = true, marker, isAnchor = false }: RecordRowProps) {
  const { kind, id, type, title, detail, at, saidBy } = line;
  const marked = marker && ((text: string) => <Marked text={text} marker={marker} />);
  return (
    <a
      class={isAnchor ? `row ${kind} anchor` : `row ${kind}`}
      href={recordLink(kind, id)}
      aria-current={isAnchor || undefined}
      data-row
    >
      <TypeBadge type={type} kind={kind} />
      <span class="row-title" dir="auto">
        <InlineCode text={onOneLine(title)} shown={marked} />
      </span>
      <Age at={at} />
      <span class="row-detail">
        {showProject && (
          <span class="project" dir="auto">
            {projectIn(line)}
          </span>
        )}
        {saidBy !== null && <span class="said-by">{saidBy} said</span>}
        <Marks of={line} />
        {detail !== null && (
          <span class="detail">
            <span dir="auto">
              <InlineCode text={onOneLine(detail)} shown={marked} />
            </span>
          </span>
        )}
      </span>
    </a>
  );
}

/** The state of a record, and its branch where that is not merged. */
export function Marks({ of: { marks, branch } }: { of: Pick<Line, "marks" | "branch"> }) {
  return (
    <>
      {marks.map((mark) => (
        <span key={mark} class={`mark ${mark}`}>
          {mark}
        </span>
      ))}
      <BranchMark branch={branch} />
    </>
  );
}

export function BranchMark({ branch }: { branch: string | undefined }) {
  if (branch === undefined) return null;
  return (
    <span class="mark branch">
      branch <bdi>{branch}</bdi>, not merged
    </span>
  );
}

// A block of code in the text becomes one in the line.
function onOneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, " ");
}

// Types of other modes have no colour.
const colored = new Set([
  "discovery",
  "decision",
  "bugfix",
  "feature",
  "refactor",
  "change",
  "summary",
  "prompt",
]);

export function TypeBadge({ type, kind }: { type: string; kind?: string }) {
  const color = kind === "summary" || kind === "prompt" ? kind : type;
  return <span class={colored.has(color) ? `type type-${color}` : "type"}>{type}</span>;
}

/** The age of a moment; its date and time on hover. */
export function Age({ at }: { at: number }) {
  const now = useNow();
  return (
    <time class="age" dateTime={new Date(at).toISOString()} title={fullTime(at)}>
      {ageOf(at, now)}
    </time>
  );
}
