// The text of a record, and beside it where it comes from.
import { useLayoutEffect } from "preact/hooks";
import { parseList, provenanceNames } from "../../core/records/records.ts";
import { writerFact } from "../../core/records/statement.ts";
import { summaryPartNames, summaryParts } from "../../core/records/summary-parts.ts";
import { linkTo } from "../links.ts";
import type { AnyRecord, ObservationRecord, PromptRecord, SummaryRecord } from "../records.ts";
import { Fact } from "./fact.tsx";
import { BlockCode, InlineCode } from "./inline-code.tsx";
import { RecordDetails } from "./record-details.tsx";

interface RecordBodyProps {
  found: AnyRecord;
  /** Called when nothing of it is being read any more. */
  onSettled(): void;
}

export function RecordBody({ found, onSettled }: RecordBodyProps) {
  useLayoutEffect(() => {
    if (found.kind !== "observation") onSettled();
  }, [found.kind]);
  switch (found.kind) {
    case "observation":
      return <ObservationBody record={found.record} onSettled={onSettled} />;
    case "summary":
      return <SummaryBody record={found.record} />;
    case "prompt":
      return <PromptBody record={found.record} />;
  }
}

interface ObservationBodyProps extends Pick<RecordBodyProps, "onSettled"> {
  record: ObservationRecord;
}

function ObservationBody({ record, onSettled }: ObservationBodyProps) {
  const { title, subtitle, summary, narrative, text } = record;
  const texts = [subtitle, summary, narrative, text].filter(
    (each, at, all): each is string => Boolean(each) && each !== title && all.indexOf(each) === at,
  );
  const facts = parseList(record.facts);
  const isBare = texts.length === 0 && facts.length === 0;
  return (
    <div class={isBare ? "record-body bare" : "record-body"}>
      {!isBare && (
        <div class="record-text">
          {texts.map((each) => (
            <Prose key={each} text={each} />
          ))}
          <Facts facts={facts} />
        </div>
      )}
      <dl class="record-facts">
        {record.statement_kind !== null && <Fact name="Kind">{record.statement_kind}</Fact>}
        {record.said_by !== null && <Fact name="Said by">{record.said_by}</Fact>}
        <Fact name="Comes from">{provenanceNames[record.provenance]}</Fact>
        <Writer generator={record.generator} />
        {record.standing === 1 && (
          <Fact name="Applies">
            {record.reach === "everywhere" ? "everywhere" : <bdi>{record.project}</bdi>}
          </Fact>
        )}
        {record.agent_type !== null && <Fact name="Sub-agent">{record.agent_type}</Fact>}
        <Concepts concepts={parseList(record.concepts)} />
        <Files name="Changed" files={parseList(record.files_modified)} />
        <Files name="Read" files={parseList(record.files_read)} />
      </dl>
      <RecordDetails id={record.id} revision={record.revision} onSettled={onSettled} />
    </div>
  );
}

function SummaryBody({ record }: { record: SummaryRecord }) {
  const parts = summaryParts.filter((name) => Boolean(record[name]));
  return (
    <div class="record-body">
      <div class="record-text">
        {parts.length === 0 && <Prose text={record.summary_text} />}
        {parts.map((name) => (
          <section key={name}>
            <h3>{summaryPartNames[name]}</h3>
            <Prose text={record[name] ?? ""} />
          </section>
        ))}
        <Facts facts={parseList(record.facts)} />
      </div>
      <dl class="record-facts">
        <Writer generator={record.generator} />
        <Concepts concepts={parseList(record.concepts)} />
        <Files name="Changed" files={parseList(record.files_modified)} />
        <Files name="Read" files={parseList(record.files_read)} />
      </dl>
    </div>
  );
}

function PromptBody({ record }: { record: PromptRecord }) {
  return (
    <div class="record-body">
      <div class="record-text">
        <Prose text={record.prompt_text} />
      </div>
      <dl class="record-facts">
        <Fact name="Said by">user</Fact>
        <Fact name="Number in its session">{record.prompt_number}</Fact>
      </dl>
    </div>
  );
}

function Writer({ generator }: { generator: string }) {
  const [name, value] = writerFact(generator);
  return <Fact name={name}>{value}</Fact>;
}

function Prose({ text }: { text: string }) {
  return (
    <p class="prose" dir="auto">
      <BlockCode text={text} />
    </p>
  );
}

function Facts({ facts }: { facts: readonly string[] }) {
  if (facts.length === 0) return null;
  return (
    <section>
      <h3>Facts</h3>
      <ul class="fact-list">
        {facts.map((fact) => (
          <li key={fact} dir="auto">
            <InlineCode text={fact} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Concepts({ concepts }: { concepts: readonly string[] }) {
  if (concepts.length === 0) return null;
  return (
    <Fact name="Concepts">
      {concepts.map((concept) => (
        <a key={concept} class="chip" dir="auto" href={linkTo("/search", { concepts: concept })}>
          {concept}
        </a>
      ))}
    </Fact>
  );
}

function Files({ name, files }: { name: string; files: readonly string[] }) {
  if (files.length === 0) return null;
  return (
    <Fact name={name}>
      <ul>
        {files.map((file) => (
          <li key={file}>
            <a class="file" dir="auto" href={linkTo("/search", { files: file })}>
              {file}
            </a>
          </li>
        ))}
      </ul>
    </Fact>
  );
}
