// The context that an agent would get now: for a project, and with a prompt, a file or a command; and why.
import { useState } from "preact/hooks";
import { marksInWords, reasonInWords } from "../../core/records/explained-record.ts";
import { recordName } from "../../core/records/record-name.ts";
import { counted } from "../../text/quantities.ts";
import { Shown, useLoaded } from "../answer.tsx";
import type { Api, Asks } from "../api.ts";
import { recordLink } from "../lines.ts";
import { linkTo, type PageProps } from "../links.ts";
import { go } from "../location.ts";
import { useValue } from "../observable.ts";
import { InlineCode } from "../parts/inline-code.tsx";
import { ProjectOptions } from "../parts/project-filter.tsx";
import { useViewer } from "../viewer.ts";

type Moment = Asks["/api/context/explain"]["moments"][number];
type Explained = Moment["records"][number];

interface Question {
  project: string;
  prompt: string;
  file: string;
  command: string;
}

export function ContextPage({ query }: PageProps) {
  const viewer = useViewer();
  const projects = useValue(viewer.projects);
  const chosen = useValue(viewer.project);
  const asked: Question = {
    project: query.get("project") ?? chosen ?? projects[0] ?? "",
    prompt: query.get("prompt") ?? "",
    file: query.get("file") ?? "",
    command: query.get("command") ?? "",
  };
  return (
    <div class="page">
      <h1>Context preview</h1>
      <p class="quiet">
        What mem injects now into a session of an agent, and why, as <code>mem context</code> prints it.
        Looking stores nothing.
      </p>
      <ContextForm key={query.toString()} asked={asked} />
      {asked.project === "" ? (
        <p class="empty">No project is known yet. Projects appear with the first prompt of a session.</p>
      ) : (
        <Answer asked={asked} />
      )}
    </div>
  );
}

function ContextForm({ asked }: { asked: Question }) {
  const [project, setProject] = useState<string>();
  function submit(event: Event & { currentTarget: HTMLFormElement }): void {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const text = (name: string) => String(given.get(name) ?? "").trim();
    go(
      linkTo("/context", {
        project: text("project"),
        prompt: text("prompt"),
        file: text("file"),
        command: text("command"),
      }),
    );
  }
  return (
    <form class="panel context-form" onSubmit={submit}>
      <label class="field">
        Project
        <select
          name="project"
          dir="auto"
          value={project ?? asked.project}
          onChange={(event) => setProject(event.currentTarget.value)}
        >
          <ProjectOptions chosen={asked.project} />
        </select>
      </label>
      <label class="field">
        File that it opens
        <input name="file" defaultValue={asked.file} placeholder="src/login.ts" spellcheck={false} />
      </label>
      <label class="field">
        Command that it runs
        <input name="command" defaultValue={asked.command} placeholder="npm test" spellcheck={false} />
      </label>
      <label class="field wide">
        First prompt
        <textarea
          name="prompt"
          dir="auto"
          defaultValue={asked.prompt}
          placeholder="Why are users logged out after a deploy?"
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey))
              event.currentTarget.form?.requestSubmit();
          }}
        />
      </label>
      <div class="buttons">
        <button type="submit" class="primary">
          Preview
        </button>
      </div>
    </form>
  );
}

function Answer({ asked }: { asked: Question }) {
  const { api } = useViewer();
  const loaded = useLoaded(
    (signal) => explain(api, asked, signal),
    [asked.project, asked.prompt, asked.file, asked.command],
    { clears: true },
  );
  return (
    <Shown of={loaded}>
      {({ unknown, moments, titles }) =>
        unknown === null ? (
          <>
            <Total moments={moments} />
            {moments.map((moment) => (
              <MomentSection key={moment.moment} moment={moment} titles={titles} />
            ))}
          </>
        ) : (
          <p class="empty">
            <InlineCode text={unknown} />
          </p>
        )
      }
    </Shown>
  );
}

function Total({ moments }: { moments: readonly Moment[] }) {
  const tokens = moments.reduce((sum, moment) => sum + moment.tokens, 0);
  return (
    <p>
      <strong class="figure">{counted(tokens, "token")}</strong>{" "}
      <span class="quiet">in all, at {counted(moments.length, "moment")}</span>
    </p>
  );
}

const momentNames: Readonly<Record<Moment["moment"], string>> = {
  start: "Start of a session",
  prompt: "First prompt",
  file: "Before the file",
  command: "Before the command",
};

function MomentSection({ moment, titles }: { moment: Moment; titles: ReadonlyMap<string, string> }) {
  const id = `moment-${moment.moment}`;
  return (
    <section class="panel moment" aria-labelledby={id}>
      <div class="panel-head">
        <h2 id={id}>{momentNames[moment.moment]}</h2>
        <span class="injected-tokens">{counted(moment.tokens, "token")}</span>
      </div>
      {moment.nothing !== null ? (
        <p class="panel-row quiet">
          <InlineCode text={moment.nothing} />
        </p>
      ) : (
        <>
          <pre dir="auto">{moment.text}</pre>
          {moment.records.length > 0 && <Reasons moment={moment} titles={titles} />}
        </>
      )}
    </section>
  );
}

function Reasons({ moment, titles }: { moment: Moment; titles: ReadonlyMap<string, string> }) {
  return (
    <>
      <h3 class="panel-row">Why each record is in it</h3>
      <ul>
        {moment.records.map((record) => {
          const name = recordName(record);
          return (
            <li key={name} class="panel-row reason">
              <a href={recordLink(kindOf(record), record.id)} data-row>
                <span class="reason-name">#{name}</span>{" "}
                <span dir="auto">
                  <InlineCode text={titles.get(name) ?? ""} />
                </span>
              </a>
              <p class="row-detail">
                <span>
                  <InlineCode text={reasonInWords(record, moment.moment)} />
                </span>
                <span>{marksInWords(record)}</span>
              </p>
            </li>
          );
        })}
      </ul>
    </>
  );
}

function kindOf({ kind }: Explained) {
  return kind === "session" ? "summary" : kind;
}

type Explanation = Asks["/api/context/explain"] & { titles: ReadonlyMap<string, string> };

async function explain(api: Api, asked: Question, signal: AbortSignal): Promise<Explanation> {
  const given = Object.entries(asked).filter(([, text]) => text !== "");
  const answer = await api.ask("/api/context/explain", Object.fromEntries(given), signal);
  const records = answer.moments.flatMap(({ records }) => records);
  return { ...answer, titles: await titlesOf(api, records, signal) };
}

// The explanation has names of records only.
async function titlesOf(
  api: Api,
  records: readonly Explained[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const ids = records.flatMap(({ kind, id }) => (kind === "observation" ? [id] : []));
  const summaries = records.filter(({ kind }) => kind === "session");
  const [observations, ...others] = await Promise.all([
    ids.length === 0 ? [] : api.ask("/api/observations/batch", { ids: [...new Set(ids)] }, signal),
    ...summaries.map(({ id }) => api.get(`/api/summary/${id}`, {}, signal)),
  ]);
  return new Map([
    ...observations.map(({ id, title }) => [String(id), title] as const),
    ...others.map(({ id, request, summary_text }) => [`S${id}`, request || summary_text] as const),
  ]);
}
