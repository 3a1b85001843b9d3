// Where an observation comes from and where it went: its session, sources, the state of its files, injections, tokens.
import { useLayoutEffect } from "preact/hooks";
import { isSettled, Shown, useLoaded } from "../answer.tsx";
import type { Reads } from "../api.ts";
import { recordLink } from "../lines.ts";
import { linkTo } from "../links.ts";
import { useViewer } from "../viewer.ts";
import { Fact } from "./fact.tsx";
import { InlineCode } from "./inline-code.tsx";
import { Age } from "./record-row.tsx";

type Details = Reads["/api/observations/1/details"];

interface DetailsProps {
  id: number;
  revision: number;
  /** Called when they are there, or cannot be read: what stands below does not move from then on. */
  onSettled(): void;
}

/** Read beside the text, which does not wait for it: the worker looks at the files. */
export function RecordDetails({ id, revision, onSettled }: DetailsProps) {
  const { api } = useViewer();
  const loaded = useLoaded(
    (signal) => api.get(`/api/observations/${id}/details`, {}, signal),
    [id, revision],
  );
  const isThere = isSettled(loaded);
  useLayoutEffect(() => {
    if (isThere) onSettled();
  }, [isThere]);
  return (
    <Shown of={loaded}>
      {(details) => (
        <div class="record-details">
          <dl class="record-facts">
            <Origins details={details} />
            <Place record={details.record} />
            <Freshness freshness={details.freshness} />
            <Fact name="Injected">{injectedText(details.injected)}</Fact>
            {details.injected.last_at_epoch !== null && (
              <Fact name="Last injected">
                <Age at={details.injected.last_at_epoch} />
              </Fact>
            )}
            <Fact name="Tokens">
              {details.tokens.text} to read
              {details.tokens.work > 0 && `, ${details.tokens.work.toLocaleString("en")} of work behind it`}
            </Fact>
          </dl>
          <Sources sources={details.sources} />
        </div>
      )}
    </Shown>
  );
}

function Place({ record: { branch, commit, merged } }: Pick<Details, "record">) {
  if (!branch && !commit) return null;
  return (
    <Fact name={branch ? "Branch" : "Commit"}>
      <bdi>{branch || commit?.slice(0, 10)}</bdi>
      {branch && commit && ` at ${commit.slice(0, 10)}`}
      {merged === false && ", not merged"}
    </Fact>
  );
}

function Origins({ details: { session, prompt, supersedes, superseded_by } }: { details: Details }) {
  return (
    <>
      {session !== null && (
        <Fact name="Session">
          <a href={linkTo(`/session/${session.id}`)} dir="auto">
            <InlineCode text={session.title || `Session ${session.id}`} />
          </a>{" "}
          in {session.host}
        </Fact>
      )}
      {prompt !== null && (
        <Fact name="Prompt">
          <a href={recordLink("prompt", prompt.id)} dir="auto">
            <InlineCode text={firstWords(prompt.prompt_text)} />
          </a>
        </Fact>
      )}
      {supersedes.length > 0 && (
        <Fact name="Replaces">
          {supersedes.map(({ id, title }) => (
            <p key={id}>
              <a href={recordLink("observation", id)}>
                #{id}{" "}
                <span dir="auto">
                  <InlineCode text={title} />
                </span>
              </a>
            </p>
          ))}
        </Fact>
      )}
      {superseded_by !== null && (
        <Fact name="Replaced by">
          <a href={recordLink("observation", superseded_by.id)}>
            #{superseded_by.id}{" "}
            <span dir="auto">
              <InlineCode text={superseded_by.title} />
            </span>
          </a>
        </Fact>
      )}
    </>
  );
}

const states: Record<Details["freshness"]["state"], string> = {
  fresh: "its files are as it saw them",
  changed: "a file changed since",
  gone: "a file is gone",
  unknown: "not known",
};

function Freshness({ freshness: { state, files } }: { freshness: Details["freshness"] }) {
  const others = files.filter((file) => file.state === "changed" || file.state === "gone");
  return (
    <Fact name="Freshness">
      <span class={`freshness ${state}`}>{states[state]}</span>
      {others.length > 0 && (
        <ul>
          {others.map((file) => (
            <li key={file.path}>
              <span class="file" dir="auto">
                {file.path}
              </span>{" "}
              {file.state}
            </li>
          ))}
        </ul>
      )}
    </Fact>
  );
}

function Sources({ sources }: { sources: Details["sources"] }) {
  if (sources.length === 0) return null;
  return (
    <details>
      <summary>
        {sources.length} {sources.length === 1 ? "source" : "sources"}
      </summary>
      <ol class="sources">
        {sources.map(({ id, tool_name, kind, summary, at_epoch, is_cited }) => (
          <li key={id}>
            <span class="source-tool">{tool_name ?? sourceNames[kind]}</span>
            <span class="file" dir="auto">
              {summary}
            </span>
            {is_cited && <span class="mark">cited</span>}
            <Age at={at_epoch} />
          </li>
        ))}
      </ol>
    </details>
  );
}

const sourceNames = { observation: "tool", summarize: "end of a turn", other: "event" } as const;

function injectedText({ times, sessions }: Details["injected"]): string {
  if (times === 0) return "never";
  return `${times === 1 ? "once" : `${times} times`} in ${sessions === 1 ? "one session" : `${sessions} sessions`}`;
}

function firstWords(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 80 ? `${line.slice(0, 80)}…` : line;
}
