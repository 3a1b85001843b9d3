// The interactive program at 100,000 observations (`--size`): from a key to the bytes of its frame, against a program that
// writes each key back on the same kind of pseudo-terminal, interleaved; and the bytes that a key costs. Keys are letters of
// a search, then moves in its list.
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { spawn } from "@lydell/node-pty";
import { installDataset, questions } from "./dataset.mjs";
import { boundFigure, ratioFigure, spread } from "./measure.mjs";
import { benchHome, root, startWorker } from "./worker.mjs";

const rounds = 200;
const warmup = 20;
// Words of the data set, as `questions` asks them; Ctrl-U clears the field between two of them.
const wordsTyped = 20;
const lettersTyped = 100;
const sizes = [
  [80, 24],
  [200, 50],
];
const echo = 'process.stdin.setRawMode(true); process.stdin.on("data", (key) => process.stdout.write(key));';
// Longer than the pause before a preview is read, and the answer to it.
const quietMs = 120;

export async function run({ say, size = 100_000 }) {
  const home = benchHome();
  await installDataset(home.dataDir, say, size);
  const worker = await startWorker(home);
  try {
    const figures = [];
    for (const [columns, rows] of sizes) figures.push(...(await figuresAt({ home, columns, rows, size })));
    return figures;
  } finally {
    await worker.kill();
    home.remove();
  }
}

async function figuresAt({ home, columns, rows, size }) {
  const program = openPty([join(root, "bin", "mem.js")], { home, columns, rows });
  const bare = openPty(["-e", echo], { home, columns, rows });
  await program.shows("live");
  await sleep(1_000);
  const typed = await typeWords({ program, bare });
  // Out of the field, where these keys are letters.
  await program.press("\x1b");
  const times = { program: [], bare: [] };
  const bytes = [];
  for (let round = -warmup; round < rounds; round++) {
    const key = round % 40 < 20 ? "j" : "k";
    const [ours, floor] = [await program.press(key), await bare.press(key)];
    if (round < 0) continue;
    times.program.push(ours.firstMs);
    times.bare.push(floor.firstMs);
    bytes.push(ours.bytes);
  }
  program.end();
  bare.end();
  const at = `${columns}x${rows}, ${size.toLocaleString("en")} observations`;
  return [
    ratioFigure({
      name: `typed letter to paint p95 / echo p95, ${at}`,
      unit: "ms",
      ours: { label: "mem: a letter of a search", ...spread(typed.program) },
      floor: { label: "a program that writes the key back", ...spread(typed.bare) },
      by: "p95",
      target: "<= 30",
    }),
    ratioFigure({
      name: `key to paint p95 / echo p95, ${at}`,
      unit: "ms",
      ours: { label: "mem: j or k", ...spread(times.program) },
      floor: { label: "a program that writes the key back", ...spread(times.bare) },
      by: "p95",
      target: "<= 30",
    }),
    boundFigure({
      name: `bytes of a key p50, with its preview, ${at}`,
      unit: "bytes",
      value: spread(bytes).p50,
      n: rounds,
      target: columns > 100 ? "<= 16000" : "<= 4000",
    }),
  ];
}

/** Types words letter by letter; times to the first paint of each letter. */
async function typeWords({ program, bare }) {
  const times = { program: [], bare: [] };
  const words = questions(wordsTyped).map((question) => question.words[0].slice(0, 8));
  for (let letters = -warmup, at = 0; letters < lettersTyped; at += 1) {
    const word = words[at % words.length];
    for (const letter of word) {
      const [ours, floor] = [await program.press(letter), await bare.press(letter)];
      if (letters++ < 0) continue;
      times.program.push(ours.firstMs);
      times.bare.push(floor.firstMs);
    }
    await program.press("\x15");
  }
  return times;
}

function openPty(words, { home, columns, rows }) {
  const env = { ...home.env, TERM: "xterm-256color", PATH: process.env.PATH };
  delete env.CI;
  const pty = spawn(process.execPath, words, { name: "xterm-256color", cols: columns, rows, env });
  let all = "";
  let onData = () => undefined;
  pty.onData((text) => {
    all = (all + text).slice(-100_000);
    onData(text);
  });
  return {
    async shows(text) {
      while (!all.includes(text)) await sleep(20);
    },
    /** Milliseconds to the first byte, and all bytes until nothing more comes. */
    async press(key) {
      const begin = performance.now();
      let firstMs = 0;
      let bytes = 0;
      onData = (text) => {
        if (firstMs === 0) firstMs = performance.now() - begin;
        bytes += Buffer.byteLength(text);
      };
      pty.write(key);
      while (firstMs === 0 && performance.now() - begin < 5_000) await sleep(1);
      await sleep(quietMs);
      return { firstMs, bytes };
    },
    end: () => pty.kill("SIGKILL"),
  };
}
