// A week of two projects for screenshots, and long lists for tests and benches: written into a database that a worker opens.
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { quotedTexts } from "../../src/core/records/quoted-text.ts";
import { createMemoryStore, type MemoryStore } from "../helpers/memory-store.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** The week that ends `now`. */
export function writeDemo(database: string, now: number): void {
  write(database, (memory) => {
    for (const [project, text, ago, rule] of rules)
      addStatement(memory, { project, session: "remembered", text, at: now - ago, said_by: "user", rule });
    for (const { project, session, ago, prompt, work, summary } of sessions) {
      const owner = { project, session };
      const at = now - ago;
      memory.addPrompt(prompt, { ...owner, at });
      for (const [index, observation] of work.entries()) {
        memory.addObservation({ ...owner, ...observation, at: at + (index + 1) * 4 * minute, work: 4_200 });
      }
      memory.addSummary({ ...owner, ...summary, at: at + (work.length + 1) * 4 * minute });
    }
    for (const { project, session, ago, work, left } of sessions) {
      const at = now - ago + work.length * 4 * minute;
      addStatement(memory, { project, session, text: left, at, said_by: "agent" });
    }
  });
}

/** `count` observations, one each `stepMs`, the last one shortly before `now`. */
export function writeMany(database: string, count: number, now: number, stepMs = minute): void {
  write(database, (memory) => {
    memory.db.exec("begin");
    for (let index = 0; index < count; index++) {
      memory.addObservation({
        project: index % 2 === 0 ? "shop" : "orchard-api",
        obs_type: types[index % types.length] ?? "change",
        title: `Record ${index} of the long list`,
        summary: `What was done in step ${index}.`,
        at: now - (count - index) * stepMs,
      });
    }
    memory.db.exec("commit");
  });
}

/** One observation, summary and prompt for each text, which stands in every field of them. */
export function writeWith(database: string, texts: readonly string[], now: number): void {
  write(database, (memory) => {
    for (const [index, text] of texts.entries()) {
      const owner = { project: text, session: `session ${text}`, at: now - index * minute };
      const lists = { facts: [text], concepts: [text], files_read: [text], files_modified: [text] };
      const words = { title: text, subtitle: text, summary: text, narrative: text };
      memory.addObservation({ ...owner, ...words, ...lists, obs_type: text });
      const parts = { request: text, investigated: text, learned: text, completed: text };
      memory.addSummary({ ...owner, ...lists, ...parts, next_steps: text, notes: text });
      memory.addPrompt(text, owner);
    }
  });
}

const types = ["discovery", "decision", "bugfix", "feature", "refactor", "change"];

function write(database: string, fill: (memory: MemoryStore) => void): void {
  mkdirSync(dirname(database), { recursive: true, mode: 0o700 });
  const memory = createMemoryStore(database);
  try {
    fill(memory);
  } finally {
    memory.close();
  }
}

interface StatementText {
  project: string;
  session: string;
  text: string;
  at: number;
  said_by: "user" | "agent";
  /** For a rule: where it applies. */
  rule?: "project" | "everywhere";
}

function addStatement(memory: MemoryStore, statement: StatementText): void {
  const { project, session, text, at, said_by, rule } = statement;
  memory.addObservation({
    project,
    session,
    at,
    ...quotedTexts(text),
    obs_type: rule === undefined ? "discovery" : "decision",
    concepts: ["pattern"],
    provenance: said_by,
    statement: { said_by, standing: rule !== undefined, reach: rule ?? "project", salience: 4 },
  });
}

const rules: [project: string, text: string, ago: number, rule: "project" | "everywhere"][] = [
  ["shop", "Use pnpm, never npm.", 6 * day, "everywhere"],
  ["shop", "Run the linter before every commit.", 5 * day, "project"],
  ["shop", "Prices are integers in cents. Never use floats for money.", 3 * day, "project"],
  ["orchard-api", "Every migration needs a rollback that was tried.", 2 * day, "project"],
];

const sessions = [
  {
    project: "orchard-api",
    session: "s1",
    ago: 4 * day,
    prompt: "The nightly import stops after 10,000 rows. Find out why and fix it.",
    work: [
      {
        obs_type: "discovery",
        title: "The import reads its cursor once per page, but the page size is capped at 10,000",
        summary: "`readPage` ignores `next` when a page is full, so the loop ends after the first page.",
        concepts: ["how-it-works", "gotcha"],
        files_read: ["src/import/read-page.ts", "src/import/run.ts"],
      },
      {
        obs_type: "bugfix",
        title: "Follow `next` until the source has no more pages",
        summary: "The loop ends when `next` is null, not when a page is full. 48,210 rows arrive.",
        concepts: ["problem-solution"],
        files_modified: ["src/import/run.ts", "test/import/run.test.ts"],
        facts: ["The source caps pages at 10,000 rows.", "A full import takes 41 s."],
      },
    ],
    left: "Next steps: add an alert for imports that are smaller than the one of the day before.",
    summary: {
      request: "Find out why the nightly import stops after 10,000 rows",
      completed: "The import follows every page; 48,210 rows arrive.",
      learned: "The source caps its pages at 10,000 rows.",
      next_steps: "Add an alert for imports that are smaller than yesterday's.",
    },
  },
  {
    project: "shop",
    session: "s2",
    ago: 26 * hour,
    prompt: "Users are logged out after every deploy. Find out why and fix it.",
    work: [
      {
        obs_type: "discovery",
        title: "Every process makes its own session secret at start",
        subtitle: "src/auth/session.ts",
        summary: "`sessionSecret` falls back to random bytes, so cookies from before a deploy are invalid.",
        concepts: ["how-it-works", "gotcha"],
        files_read: ["src/auth/session.ts"],
      },
      {
        obs_type: "decision",
        title: "The server refuses to start without SESSION_SECRET",
        summary: "A silent fallback would bring the bug back, so a missing secret is an error at start.",
        concepts: ["trade-off", "why-it-exists"],
        provenance: "agent" as const,
        files_modified: ["src/auth/session.ts"],
      },
      {
        obs_type: "bugfix",
        title: "Users stay logged in after a deploy",
        summary: "The secret comes from SESSION_SECRET. `verifySession` no longer throws on a forged cookie.",
        narrative:
          "Users were logged out after every deploy because src/auth/session.ts made a new session secret each time the process started, so every cookie signed before the deploy became invalid.\n\nThe secret is now read from SESSION_SECRET, and the server refuses to start without it. verifySession compares lengths first, so a forged cookie of another length answers 401 instead of 500.",
        concepts: ["problem-solution", "what-changed"],
        files_read: ["src/auth/session.ts", "deploy/staging.env"],
        files_modified: ["src/auth/session.ts", "test/auth/session.test.ts"],
        facts: [
          "timingSafeEqual throws for buffers of different length.",
          "All 214 tests pass in 9 s.",
          "Staging has no SESSION_SECRET yet.",
        ],
      },
    ],
    left: "Next steps: set `SESSION_SECRET` on staging and production before the next deploy.",
    summary: {
      request: "Find out why users are logged out after every deploy",
      investigated: "Session cookies, the deploy script, and the start of the server.",
      learned: "Each start made a new session secret.",
      completed: "The secret is read from SESSION_SECRET; tests cover forged cookies.",
      next_steps: "Set SESSION_SECRET on staging and production before the next deploy.",
    },
  },
  {
    project: "shop",
    session: "s3",
    ago: 2 * hour,
    prompt: "Show the total with tax in the cart, and round like the invoice does.",
    work: [
      {
        obs_type: "discovery",
        title: "The invoice rounds each line, the cart rounds the sum",
        summary: "A cart of 3 × 3.33 € differs from its invoice by one cent.",
        concepts: ["how-it-works"],
        files_read: ["src/cart/total.ts", "src/invoice/lines.ts"],
      },
      {
        obs_type: "feature",
        title: "The cart shows the total with tax, rounded per line",
        summary: "`cartTotal` and the invoice share `lineTotal`, so both always agree.",
        concepts: ["what-changed"],
        files_modified: ["src/cart/total.ts", "src/invoice/lines.ts"],
      },
      {
        obs_type: "refactor",
        title: "Moved money into one module",
        summary: "src/money.ts has the only rounding; cents are integers everywhere.",
        files_modified: ["src/money.ts", "src/cart/total.ts"],
      },
      {
        obs_type: "change",
        title: "Tax rates come from config/tax.json",
        summary: "Rates of seven countries with the date from which they are valid.",
        files_modified: ["config/tax.json"],
      },
    ],
    left: "Still open: which tax rate applies to gift cards is not decided yet.",
    summary: {
      request: "Show the total with tax in the cart",
      completed: "Cart and invoice agree to the cent.",
      next_steps: "Ask which rate applies to gift cards.",
    },
  },
];
