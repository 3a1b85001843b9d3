// The retrieval sets of a --data folder: documents in sessions and in order, queries with what answers them.
// Recognizes files by their content, so that held-out parts under other names work too.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/**
 * A set is `{ name, documents, queries }`. A document: `{ key, project, session, at, title, narrative, facts, files }`,
 * in the order they were made. A query: `{ text, project, relevant: keys, category, before? }`; only documents made
 * before `before` (epoch ms, or null) may answer it.
 */
export function loadSets(folder) {
  const files = filesUnder(folder).map((path) => ({ path, form: formOf(path) }));
  const pick = (form) => files.filter((file) => file.form === form).map(({ path }) => path);
  const withDocuments = (queries, documents, load) =>
    pick(queries).map((path) => load(nearestTo(path, pick(documents), documents), path));
  const sets = [
    ...pick("locomo").flatMap(locomo),
    ...withDocuments("cosqa queries", "cosqa documents", cosqa),
    ...withDocuments("cranfield queries", "cranfield documents", cranfield),
    ...withDocuments("commit queries", "commits", commitFixes),
  ];
  if (sets.length === 0) throw new Error(`no retrieval set found under ${folder}`);
  return sets;
}

function filesUnder(folder) {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const path = join(folder, name);
      return statSync(path).isDirectory() ? filesUnder(path) : [path];
    });
}

// By what stands in it, not by its name.
function formOf(path) {
  if (path.endsWith(".jsonl")) {
    const [first = {}] = readLines(path);
    if ("subject" in first && "files" in first) return "commits";
    if ("rel" in first && "before" in first) return "commit queries";
    return "relevant" in first && "text" in first ? "cranfield queries" : "unknown";
  }
  if (path.endsWith(".json")) {
    const [first = {}] = [JSON.parse(readFileSync(path, "utf8"))].flat();
    if ("conversation" in first && "qa" in first) return "locomo";
    return "retrieval_idx" in first ? "cosqa queries" : "unknown";
  }
  if (/code_idx_map/i.test(path)) return "cosqa documents";
  return /^\.I \d+\s/.test(readFileSync(path, "utf8")) ? "cranfield documents" : "unknown";
}

// The documents that stand in the queries' own folder, else the only ones there are.
function nearestTo(path, documents, what) {
  const found = documents.find((one) => dirname(one) === dirname(path)) ?? documents[0];
  if (found === undefined) throw new Error(`${path} asks for ${what}, and there are none in the data folder`);
  return found;
}

const readLines = (path) =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line));

const minute = 60_000;
const hour = 60 * minute;
// The sets without times have one for all, so that a prior for the new says nothing there.
const noTime = Date.UTC(2026, 0, 1);

/** Two sets: turns as documents in the sessions of their conversation, and whole sessions as documents. */
function locomo(path) {
  const turns = { name: "locomo-turns", documents: [], queries: [] };
  const sessions = { name: "locomo-sessions", documents: [], queries: [] };
  for (const [index, { sample_id, conversation, qa }] of JSON.parse(readFileSync(path, "utf8")).entries()) {
    const project = `${basename(path)} ${sample_id ?? "conversation"} ${index}`;
    const known = new Set();
    for (let number = 1; number <= 200; number++) {
      const said = conversation[`session_${number}`];
      if (!Array.isArray(said) || said.length === 0) continue;
      const start = parseDate(conversation[`session_${number}_date_time`]) ?? noTime + number * 24 * hour;
      for (const [position, turn] of said.entries()) {
        known.add(turn.dia_id);
        turns.documents.push({
          key: `${project}:${turn.dia_id}`,
          project: `turns-${project}`,
          session: `turns-${project}-${number}`,
          at: start + position * minute,
          title: turn.speaker,
          narrative: [turn.text, turn.blip_caption].filter(Boolean).join("\n"),
          facts: [],
          files: [],
        });
      }
      sessions.documents.push({
        key: `${project}:${number}`,
        project: `sessions-${project}`,
        session: `sessions-${project}-${number}`,
        at: start,
        title: `Session ${number}`,
        narrative: said
          .map(
            ({ speaker, text, blip_caption }) =>
              `${speaker}: ${[text, blip_caption].filter(Boolean).join(" ")}`,
          )
          .join("\n"),
        facts: [],
        files: [],
      });
    }
    for (const { question, category, evidence } of qa) {
      const ids = evidenceIds(evidence).filter((id) => known.has(id));
      if (ids.length === 0) continue;
      if (category !== 5)
        turns.queries.push({
          text: String(question),
          project: `turns-${project}`,
          relevant: ids.map((id) => `${project}:${id}`),
          category: categories[category] ?? String(category),
        });
      sessions.queries.push({
        text: String(question),
        project: `sessions-${project}`,
        relevant: [...new Set(ids.map((id) => `${project}:${/^D(\d+)/.exec(id)[1]}`))],
        category: categories[category] ?? String(category),
      });
    }
  }
  return [turns, sessions];
}

const categories = { 1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial" };

// Some entries hold two ids, a colon too many or a number with a leading zero.
function evidenceIds(evidence) {
  const ids = (evidence ?? []).flatMap((entry) =>
    [...String(entry).matchAll(/D:?(\d+):0*(\d+)/g)].map(
      ([, session, turn]) => `D${Number(session)}:${Number(turn)}`,
    ),
  );
  return [...new Set(ids)];
}

// "1:56 pm on 8 May, 2023"
function parseDate(text) {
  const found = /(\d+):(\d+) ([ap])m on (\d+) (\w+),? (\d+)/i.exec(text ?? "");
  if (found === null) return null;
  const [, hours, minutes, half, day, month, year] = found;
  const date = Date.parse(`${day} ${month} ${year} 00:00:00 GMT`);
  if (Number.isNaN(date)) return null;
  return (
    date + ((Number(hours) % 12) + (half.toLowerCase() === "p" ? 12 : 0)) * hour + Number(minutes) * minute
  );
}

function cosqa(codePath, queriesPath) {
  const project = `cosqa ${basename(queriesPath)}`;
  const codes = Object.entries(JSON.parse(readFileSync(codePath, "utf8")));
  return {
    name: "cosqa",
    documents: codes.map(([code, id]) => ({
      key: String(id),
      project,
      session: `${project} ${id}`,
      at: noTime,
      title: /^\s*(?:async\s+)?def\s+(\w+)/m.exec(code)?.[1] ?? "function",
      narrative: code,
      facts: [],
      files: [],
    })),
    queries: JSON.parse(readFileSync(queriesPath, "utf8")).map((entry) => ({
      text: entry.doc,
      project,
      relevant: [String(entry.retrieval_idx)],
      category: "all",
    })),
  };
}

function cranfield(documentsPath, queriesPath) {
  const project = `cranfield ${basename(queriesPath)}`;
  const documents = readFileSync(documentsPath, "utf8")
    .split(/^\.I /m)
    .slice(1)
    .map((entry) => {
      const part = (letter) =>
        new RegExp(`^\\.${letter}\\s*\\n([\\s\\S]*?)(?=^\\.[TABWI]\\s*$|(?![\\s\\S]))`, "m").exec(
          entry,
        )?.[1] ?? "";
      const flat = (text) => text.replace(/\s+/g, " ").trim();
      const key = /^\d+/.exec(entry)[0];
      return {
        key,
        project,
        session: `${project} ${key}`,
        at: noTime,
        title: flat(part("T")) || "untitled",
        narrative: flat(part("W")),
        facts: [],
        files: [],
      };
    });
  const queries = readLines(queriesPath).map(({ text, relevant }) => ({
    text,
    project,
    relevant: relevant.map(String),
    category: "all",
  }));
  return { name: "cranfield", documents, queries };
}

// Commits less than an hour apart are one session: a series of patches is applied in one go.
function commitFixes(documentsPath, queriesPath) {
  const project = `commits ${basename(queriesPath)}`;
  const commits = readLines(documentsPath);
  // Authors' clocks go back and forth; the order is the file's. Their times in order keep both, and `before` exact.
  const times = commits.map(({ at }) => at * 1000).sort((a, b) => a - b);
  for (let n = 1; n < times.length; n++) times[n] = Math.max(times[n], times[n - 1] + 1);
  let session = 0;
  const documents = commits.map(({ id, at, subject, body, files }, index) => {
    if (index > 0 && Math.abs(at - commits[index - 1].at) > 3600) session++;
    return {
      key: id,
      project,
      session: `${project} ${session}`,
      at: times[index],
      title: subject || "no subject",
      narrative: body,
      facts: [],
      files: files ?? [],
    };
  });
  const queries = readLines(queriesPath).map(({ subject, before, rel }) => ({
    text: subject,
    project,
    relevant: rel,
    category: "all",
    before: times[before] ?? null,
  }));
  return { name: "commit-fixes", documents, queries };
}
