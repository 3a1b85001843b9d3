// The filters of a search: kind, type, concepts, files, days. They stand in the address.

import { useState } from "preact/hooks";
import { observationConcepts, observationTypes } from "../../core/records/records.ts";
import { linkTo } from "../links.ts";
import { go } from "../location.ts";

const kinds = [
  ["", "All"],
  ["observations", "Observations"],
  ["sessions", "Summaries"],
  ["prompts", "Prompts"],
] as const;

export function SearchFilters({ given }: { given: URLSearchParams }) {
  const change = (name: string, value: string) =>
    go(linkTo("/search", { ...Object.fromEntries(given), [name]: value }), { replace: true });
  const { q, ...filters } = Object.fromEntries(given);
  // Only a narrow screen folds them, so that its first screen shows results.
  const [isOpen, setIsOpen] = useState(false);
  const count = Object.keys(filters).filter((name) => name !== "type").length;
  const text = (name: string, label: string, example: string, list?: string) => (
    <label class="field">
      {label}
      <input
        value={given.get(name) ?? ""}
        placeholder={example}
        list={list}
        spellcheck={false}
        onInput={(event) => change(name, event.currentTarget.value)}
      />
    </label>
  );
  const day = (name: string, label: string) => (
    <label class="field">
      {label}
      <input
        type="date"
        value={given.get(name) ?? ""}
        onInput={(event) => change(name, event.currentTarget.value)}
      />
    </label>
  );
  return (
    <div class="filters">
      <fieldset class="segments">
        <legend>Kind</legend>
        {kinds.map(([value, label]) => (
          <label key={value}>
            <input
              type="radio"
              name="kind"
              checked={(given.get("type") ?? "") === value}
              onChange={() => change("type", value)}
            />
            <span>{label}</span>
          </label>
        ))}
      </fieldset>
      <button
        type="button"
        class="filter-toggle"
        aria-expanded={isOpen}
        aria-controls="filter-fields"
        onClick={() => setIsOpen(!isOpen)}
      >
        {count === 0 ? "Filters" : `Filters (${count})`}
      </button>
      <div id="filter-fields" class={isOpen ? "filter-fields open" : "filter-fields"}>
        {text("obs_type", "Type", "bugfix", "observation-types")}
        {text("concepts", "Concepts", "gotcha, pattern", "observation-concepts")}
        {text("files", "Files", "src/login.ts")}
        {day("from", "From")}
        {day("to", "To")}
        {Object.keys(filters).length > 0 && (
          <button type="button" class="link" onClick={() => go(linkTo("/search", { q }), { replace: true })}>
            Clear filters
          </button>
        )}
      </div>
      <Words id="observation-types" words={observationTypes} />
      <Words id="observation-concepts" words={observationConcepts} />
    </div>
  );
}

function Words({ id, words }: { id: string; words: readonly string[] }) {
  return (
    <datalist id={id}>
      {words.map((word) => (
        <option key={word} value={word} />
      ))}
    </datalist>
  );
}
