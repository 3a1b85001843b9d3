// The injected context of a session: each text with its moment, cause, records and tokens.
import { useMemo } from "preact/hooks";
import { counted } from "../../text/quantities.ts";
import type { Injection, Reads, SessionRecord } from "../api.ts";
import { clockTime } from "../clock.ts";
import { injectedReason, promptWords } from "../injected-reasons.ts";
import { recordLink } from "../lines.ts";
import { linkTo } from "../links.ts";
import { InlineCode } from "../parts/inline-code.tsx";
import { TypeBadge } from "../parts/record-row.tsx";

type Totals = NonNullable<Reads[`/api/sessions/${number}/injections`]["totals"]>;
type Session = Reads[`/api/session/${number}`];
type Moment = Injection["moment"];

const momentNames: Readonly<Record<Moment, string>> = {
  start: "start",
  prompt: "prompts",
  file: "files",
  command: "commands",
  project: "every request",
};

/** How much was injected into a session, in all and by moment. */
export function InjectedTotals({ totals }: { totals: Totals }) {
  if (totals.injections === 0) return <NothingTold />;
  const moments = (Object.keys(momentNames) as Moment[])
    .map((moment) => ({ moment, tokens: totals.moments.find((each) => each.moment === moment)?.tokens ?? 0 }))
    .filter(({ tokens }) => tokens > 0);
  const { sub_agent_tokens: ofSubAgents } = totals;
  return (
    <section class="panel injected-totals" aria-labelledby="injected-title">
      <h2 id="injected-title">Injected context</h2>
      <p>
        <strong class="figure">{counted(totals.tokens, "token")}</strong>{" "}
        <span class="quiet">
          at {counted(totals.injections, "moment")}, with {counted(totals.records, "record")}
          {ofSubAgents > 0 && `; sub-agents ${ofSubAgents.toLocaleString("en")} of them`}
        </span>
      </p>
      <div class="shares" aria-hidden="true">
        {moments.map(({ moment, tokens }) => (
          <span key={moment} class={`share moment-${moment}`} style={{ flexGrow: tokens }} />
        ))}
      </div>
      <ul class="legend">
        {moments.map(({ moment, tokens }) => (
          <li key={moment}>
            <i class={`swatch moment-${moment}`} aria-hidden="true" />
            {momentNames[moment]} {tokens.toLocaleString("en")}
          </li>
        ))}
      </ul>
    </section>
  );
}

function NothingTold() {
  return (
    <section class="panel injected-totals" aria-labelledby="injected-title">
      <h2 id="injected-title">Injected context</h2>
      <p>Nothing was injected into this session.</p>
      <p class="quiet">
        Either nothing was known for it, or its host did not ask. <a href={linkTo("/context")}>Preview</a>{" "}
        what a session gets now, and look at the hosts in <a href={linkTo("/status")}>Status</a>.
      </p>
    </section>
  );
}

interface InjectedCardProps {
  injection: Injection;
  session: Session;
  /** The prompt that it came with, if it is known. */
  prompt?: { prompt_number: number; prompt_text: string } | undefined;
}

/** One injected text. */
export function InjectedCard({ injection, session, prompt }: InjectedCardProps) {
  const { moment, tokens, records, text, cause } = injection;
  const asked = moment === "prompt" ? (prompt?.prompt_text ?? cause ?? "") : "";
  const words = useMemo(() => promptWords(asked), [asked]);
  return (
    <div class={`timeline-card injected-card moment-${moment}`}>
      <div class="injected-head">
        <span class="injected-badge">Injected</span>
        <strong>
          <Cause injection={injection} session={session} promptNumber={prompt?.prompt_number} />
        </strong>
        <span class="injected-tokens">{counted(tokens, "token")}</span>
      </div>
      {records.length > 0 && <p class="quiet">Records in it, as they are now:</p>}
      <ul class="injected-records">
        {records.map((record) => (
          <li key={`${record.kind} ${record.id}`}>
            <InjectedRecord record={record} reason={injectedReason(injection, record, words)} />
          </li>
        ))}
      </ul>
      {text === null ? (
        <p class="quiet">
          The text itself is no longer stored: it is older than raw events are kept, or a record in it was
          deleted.
        </p>
      ) : (
        <details>
          <summary>The text as it was injected</summary>
          <pre dir="auto">{text}</pre>
        </details>
      )}
      <a class="quiet" href={previewLink(injection, session, prompt?.prompt_text)}>
        {previewWords[moment]}
      </a>
    </div>
  );
}

const previewWords: Readonly<Record<Moment, string>> = {
  start: "What a session start gets today",
  project: "What a session start gets today",
  prompt: "What a session that begins with this prompt gets today",
  file: "What a session that opens this file gets today",
  command: "What a session that runs this command gets today",
};

interface CauseProps {
  injection: Injection;
  session: Session;
  promptNumber: number | undefined;
}

function Cause({ injection: { moment, cause }, session, promptNumber }: CauseProps) {
  switch (moment) {
    case "start":
      return <>at the start</>;
    case "prompt":
      if (promptNumber !== undefined) return <>with prompt {promptNumber}</>;
      return <>with the prompt{cause !== null && <span dir="auto"> “{cause}”</span>}</>;
    case "file":
      return (
        <>
          before it opened {cause === null ? "a file" : <code dir="auto">{inProject(cause, session)}</code>}
        </>
      );
    case "command":
      return <>before it ran {cause === null ? "a command" : <code dir="auto">{cause}</code>}</>;
    case "project":
      return <>with every request</>;
    default:
      return moment satisfies never;
  }
}

function inProject(path: string, { cwd }: Session): string {
  return cwd !== null && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
}

function InjectedRecord({ record, reason }: { record: Injection["records"][number]; reason: string }) {
  const { kind, id, title, obs_type, is_deleted } = record;
  if (is_deleted)
    return (
      <span class="quiet">
        {kind} #{id}, deleted since
      </span>
    );
  return (
    <a href={recordLink(kind, id)} data-row>
      <TypeBadge type={obs_type ?? kind} kind={kind} />
      <span>
        <span class="quiet">#{id}</span>{" "}
        <span dir="auto">
          <InlineCode text={title} />
        </span>
        <span class="timeline-detail">{reason}</span>
      </span>
    </a>
  );
}

function previewLink(injection: Injection, session: Session, prompt: string | undefined): string {
  const { moment, cause } = injection;
  switch (moment) {
    case "prompt":
      return linkTo("/context", { project: session.project, prompt: prompt ?? cause ?? "" });
    case "file":
    case "command":
      return linkTo("/context", { project: session.project, [moment]: cause ?? "" });
    case "start":
    case "project":
      return linkTo("/context", { project: session.project });
    default:
      return moment satisfies never;
  }
}

interface SubAgentsProps {
  session: Session;
  injections: readonly Injection[];
  records: readonly SessionRecord[];
}

/** The injected context of sub-agents, apart from the main agent. */
export function SubAgents({ session, injections, records }: SubAgentsProps) {
  const readers = [...new Set(injections.map(({ reader }) => reader))];
  if (readers.length === 0) return null;
  const types = new Map(
    records.flatMap((item) =>
      item.kind === "observation" ? [[item.record.agent_id, item.record.agent_type] as const] : [],
    ),
  );
  return (
    <section aria-labelledby="sub-agents-title">
      <h2 id="sub-agents-title">Sub-agents</h2>
      {readers.map((reader) => {
        const own = injections.filter((each) => each.reader === reader);
        return (
          <details key={reader} class="sub-agent">
            <summary>
              {types.get(reader) ?? "Sub-agent"} <code>{reader}</code>{" "}
              <span class="quiet">
                got {counted(sum(own.map(({ tokens }) => tokens)), "token")} at{" "}
                {counted(own.length, "moment")}
              </span>
            </summary>
            <ol class="session-timeline">
              {own.map((injection) => (
                <li key={injection.id} class="injection">
                  <time dateTime={new Date(injection.at_epoch).toISOString()}>
                    {clockTime(injection.at_epoch)}
                  </time>
                  <InjectedCard injection={injection} session={session} />
                </li>
              ))}
            </ol>
          </details>
        );
      })}
    </section>
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
