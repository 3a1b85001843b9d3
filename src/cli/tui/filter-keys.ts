// The filters: their fields, their choices, and what keys change there.
import { type Filters, type Mode, only, type State, type Step, type View } from "./state.ts";
import { filterNames, mapViews, shownView, withSource } from "./views.ts";

export interface FilterField {
  name: keyof Filters;
  label: string;
  choices: readonly (readonly [value: string | null, label: string])[];
}

const kinds: FilterField["choices"] = [
  [null, "all"],
  ["observations", "observations"],
  ["sessions", "summaries"],
  ["prompts", "prompts"],
];

const times: FilterField["choices"] = [
  [null, "any time"],
  ["1d", "last day"],
  ["7d", "last 7 days"],
  ["30d", "last 30 days"],
  ["365d", "last year"],
];

/** The fields that count for the list, with what can be chosen now. */
export function filterFields(state: State): FilterField[] {
  const names = filterNames(shownView(state).source);
  return allFields(state).filter(({ name }) => names.includes(name));
}

function allFields({ projects, types }: Pick<State, "projects" | "types">): FilterField[] {
  const all = (values: readonly string[]): FilterField["choices"] => [
    [null, "all"],
    ...values.map((value) => [value, value] as const),
  ];
  return [
    { name: "project", label: "Project", choices: all(projects) },
    { name: "kind", label: "Kind", choices: kinds },
    { name: "type", label: "Type", choices: all(types) },
    { name: "since", label: "Time", choices: times },
  ];
}

/** The filters in words: `shop · bugfix · last 7 days`; empty without any. */
export function filtersInWords(filters: Filters): string {
  const labels = [...kinds, ...times];
  const { project, kind, type, since } = filters;
  return [project, kind, type, since]
    .flatMap((value) => (value === null ? [] : [labels.find(([each]) => each === value)?.[1] ?? value]))
    .join(" · ");
}

/** The state after a key in the filters. */
export function filtersPressed(state: State, mode: Extract<Mode, { is: "filters" }>, key: string): Step {
  const fields = filterFields(state);
  const field = fields[mode.field];
  const at = (place: number) =>
    only({ ...state, mode: { ...mode, field: (place + fields.length) % fields.length } });
  if (["esc", "enter", "q", "f"].includes(key)) return only({ ...state, mode: { is: "list" } });
  if (["j", "down", "tab"].includes(key)) return at(mode.field + 1);
  if (["k", "up", "shift-tab"].includes(key)) return at(mode.field - 1);
  if (field === undefined) return only(state);
  if (["l", "right", " "].includes(key)) return only(withFilters(state, stepped(state.filters, field, 1)));
  if (["h", "left"].includes(key)) return only(withFilters(state, stepped(state.filters, field, -1)));
  if (["backspace", "delete", "x"].includes(key))
    return only(withFilters(state, { ...state.filters, [field.name]: null }));
  if (key === "c") return only(withFilters(state, { project: null, kind: null, type: null, since: null }));
  return only(state);
}

function stepped(filters: Filters, { name, choices }: FilterField, step: 1 | -1): Filters {
  const now = choices.findIndex(([value]) => value === filters[name]);
  const next = choices[(Math.max(0, now) + step + choices.length) % choices.length];
  return { ...filters, [name]: next?.[0] ?? null };
}

/** Every list with these filters; the project counts in all of them. */
function withFilters(state: State, filters: Filters): State {
  return mapViews({ ...state, filters }, (view) => filtered(view, filters));
}

function filtered(view: View, filters: Filters): View {
  const { source } = view;
  const { project } = filters;
  switch (source.is) {
    case "search":
      return withSource(view, { ...source, filters });
    case "feed":
    case "sessions":
    case "rules":
    case "trash":
      return source.project === project ? view : withSource(view, { ...source, project });
    case "session":
    case "timeline":
    case "queue":
    case "replacement":
      return view;
    default:
      return source satisfies never;
  }
}
