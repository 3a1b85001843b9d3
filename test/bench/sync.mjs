// Device sync: operations pushed over HTTP into `mem hub` and `mem server`, against bare inserts of the same rows into the
// same database.

import { boundFigure, ratioFigure, spread } from "./measure.mjs";
import { firstSync } from "./sync-first.mjs";
import { serverHub, sqliteHub } from "./sync-hubs.mjs";
import { opsOfRequest, requestsOf } from "./sync-ops.mjs";

const rounds = 7;
// Of one account; each sends its next request when the last one is answered.
const devices = 4;
const requestsPerDevice = 6;

const defaultRows = 3_000;

export async function run({ say, size: rows = defaultRows }) {
  const figures = [];
  for (const open of [sqliteHub, serverHub]) {
    const hub = await open();
    try {
      for (const form of ["sealed", "plain"]) figures.push(await pushFigure(hub, form, say));
    } finally {
      await hub.remove();
    }
  }
  return [...figures, ...(await firstFigures(rows, say))];
}

async function firstFigures(rows, say) {
  const plain = await firstSync({ rows, form: "plain", say });
  const sealed = await firstSync({ rows, form: "sealed", say });
  const side = (label, { ms }, n) => ({ label, p50: ms / 1_000, n });
  const figure = (name, of) =>
    ratioFigure({
      name: `sync: ${name} of ${rows.toLocaleString("en")} observations, encrypted / plain`,
      unit: "s",
      ours: side("encrypted", sealed[of], sealed.ops),
      floor: side("plain", plain[of], plain.ops),
      target: "<= 1.5",
      note: `${perSecond(sealed, of)} and ${perSecond(plain, of)} operations per second`,
    });
  return [
    figure("first push", "push"),
    figure("first read on another device", "pull"),
    boundFigure({
      name: "sync: peak memory of the workers in it",
      unit: "MiB",
      value: Math.max(...[plain, sealed].flatMap(({ push, pull }) => [push.peak, pull.peak])),
      n: 4,
      target: "<= 300",
      note: `${Math.round(sealed.bytes)} bytes for an encrypted operation, ${Math.round(plain.bytes)} for a plain one`,
    }),
  ];
}

const perSecond = ({ ops, ...times }, of) => Math.round((ops * 1_000) / times[of].ms).toLocaleString("en");

async function pushFigure(hub, form, say) {
  const rates = { ours: [], floor: [] };
  for (let round = -1; round < rounds; round++) {
    const pushers = Array.from({ length: devices }, (_, at) => {
      const device = `${form}-${at}`;
      return { device, requests: requestsOf(device, form, requestsPerDevice, round + 1) };
    });
    const ours = await timed(() => Promise.all(pushers.map((pusher) => pushAll(hub, pusher))));
    const floor = await timed(async () => {
      for (const { device, requests } of pushers) await hub.insertAll(device, requests);
    });
    if (round < 0) continue;
    rates.ours.push(rate(ours));
    rates.floor.push(rate(floor));
    say(`${hub.name}, ${form}: ${Math.round(rate(ours))}/s over HTTP, ${Math.round(rate(floor))}/s inserted`);
  }
  const n = rounds * opsOfRound;
  return ratioFigure({
    name: `sync: operations pushed into ${hub.name}, ${form} / bare inserts of the same rows`,
    unit: "per second",
    ours: {
      label: `${devices} devices, ${opsOfRequest} operations per request`,
      p50: spread(rates.ours).p50,
      n,
    },
    floor: { label: hub.floor, p50: spread(rates.floor).p50, n },
    target: ">= 0.3",
  });
}

const opsOfRound = devices * requestsPerDevice * opsOfRequest;
const rate = (ms) => (opsOfRound * 1_000) / ms;

async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function pushAll(hub, { device, requests }) {
  for (const { text, ops } of requests) {
    const { status, json } = await hub.post(device, text);
    if (status !== 200 || json.results.length !== ops.length || json.results.at(-1).duplicate) {
      throw new Error(`the hub answered ${status}: ${JSON.stringify(json).slice(0, 500)}`);
    }
  }
}
