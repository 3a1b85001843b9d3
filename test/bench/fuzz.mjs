// 100,000 random strings through /api/search of the real worker: none is answered with 500 or more.
import { boundFigure } from "./measure.mjs";
import { ask, benchHome, startWorker } from "./worker.mjs";

const total = Number(process.env.MEM_BENCH_STRINGS ?? 100_000);
const lanes = 8;

export async function run({ say }) {
  const seed = Number(process.env.MEM_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
  say(`seed ${seed}`);
  const home = benchHome();
  const worker = await startWorker(home);
  const statuses = new Map();
  try {
    await post(worker.port);
    await Promise.all(
      Array.from({ length: lanes }, (_, lane) => search(worker.port, { seed: seed + lane, statuses })),
    );
    const health = await ask(worker.port, "/api/health");
    if (health.status !== 200) throw new Error(`the worker is not well afterwards: ${health.text}`);
  } finally {
    await worker.kill();
    home.remove();
  }
  const bad = [...statuses].filter(([status]) => status >= 500).reduce((sum, [, count]) => sum + count, 0);
  return [
    boundFigure({
      name: "random searches answered with 500 or more",
      unit: "answers",
      value: bad,
      n: total,
      target: "= 0",
      note: [...statuses].map(([status, count]) => `${status}: ${count}`).join(", "),
    }),
  ];
}

// Something has to be there to be found.
async function post(port) {
  for (let n = 0; n < 50; n++) {
    const body = {
      claudeSessionId: "fuzz",
      tool_name: "Write",
      tool_input: { file_path: `/home/user/a${n}.ts`, content: pieces.join(" ") },
    };
    await ask(port, "/api/sessions/observations", { method: "POST", body });
  }
}

async function search(port, { seed, statuses }) {
  const random = createRandom(seed);
  for (let n = 0; n < total / lanes; n++) {
    const { status, text } = await ask(port, `/api/search?${query(random)}`);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status >= 500) console.error(`${status}: ${text}`);
  }
}

// Mostly the words; now and then a parameter that is as wild as they are.
function query(random) {
  const parameters = new URLSearchParams({ query: wildText(random) });
  const others = [
    "type",
    "format",
    "limit",
    "project",
    "obs_type",
    "concepts",
    "files",
    "dateStart",
    "dateEnd",
    "offset",
  ];
  while (random() < 0.3) {
    const name = others[Math.floor(random() * others.length)];
    parameters.append(name, random() < 0.5 ? (sensible[name] ?? "1") : wildText(random));
  }
  return parameters.toString();
}

const sensible = {
  type: "observations",
  format: "full",
  limit: "5",
  project: "work",
  obs_type: "bugfix",
  concepts: "pattern",
  files: "a1.ts",
  dateStart: "2026-01-01",
  dateEnd: "2027-01-01T00:00:00Z",
};

const pieces =
  '" \' * ( ) : ^ - + AND OR NOT NEAR NEAR( {title}: -title : scope "scope" xp1 \\ \\" \u0000 \u0001 \u200b \u202e é ß İ 日 本語 🙂 \ud800 \udc00 %00 ; -- /* */ select drop $1 ? @a foo_bar.ts parseConfig ../../etc/passwd'.split(
    " ",
  );

function wildText(random) {
  const parts = Array.from({ length: Math.floor(random() * 8) }, () =>
    random() < 0.6 ? pieces[Math.floor(random() * pieces.length)] : anyCharacters(random),
  );
  return parts.join(random() < 0.5 ? " " : "");
}

function anyCharacters(random) {
  const length = Math.floor(random() ** 3 * 200);
  return Array.from({ length }, () => String.fromCharCode(Math.floor(random() ** 2 * 0x10000))).join("");
}

function createRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
