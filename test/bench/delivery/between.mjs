// The sessions between a scenario's past and its new session. The choice depends on ids alone, so runs compare.
import { createHash } from "node:crypto";
import { matches, transcript } from "./scenario-set.mjs";

/**
 * `noiseSessions` sessions of unrelated work with `mixed` sessions of other scenarios' pasts spread among them. The last
 * one is unrelated work where there is any.
 */
export function sessionsBetween(scenario, { scenarios, noise, noiseSessions, mixed }) {
  const plain = unrelatedWork(scenario, noise, noiseSessions);
  const others = otherPasts(scenario, scenarios, mixed);
  if (plain.length === 0) return others;
  const until = (at) => Math.round((at * others.length) / plain.length);
  return plain.flatMap((session, at) => [...others.slice(until(at), until(at + 1)), session]);
}

// Every second session is in the scenario's language, as long as there are some.
function unrelatedWork({ id, lang }, noise, count) {
  const english = noise.filter((session) => (session.lang ?? "en") === "en");
  const own = lang === "en" ? [] : noise.filter((session) => session.lang === lang);
  if (english.length === 0) return [];
  const first = Number.parseInt(digest(id).slice(0, 8), 16);
  return Array.from({ length: count }, (_, at) => {
    const local = at % 2 === 1 ? own[(at - 1) / 2] : undefined;
    return local ?? english[((first % english.length) + at * stride) % english.length];
  });
}

// Steps through the list out of its order: neighbors are by the same author on the same subject.
const stride = 5;

// A past that meets a need of this scenario, or holds what must not be injected, would change its answer.
function otherPasts({ id, need, never }, scenarios, count) {
  if (count === 0) return [];
  const telling = [...need.flatMap(({ all }) => all), ...never];
  return scenarios
    .filter((other) => other.id !== id && other.kind !== "quiet")
    .map((other) => ({ past: other.past, order: digest(id + other.id) }))
    .sort((a, b) => (a.order < b.order ? -1 : 1))
    .filter(({ past }) => {
      const text = transcript(past);
      return !telling.some((source) => matches(source, text));
    })
    .flatMap(({ past }) => past)
    .slice(0, count);
}

function digest(text) {
  return createHash("sha1").update(text).digest("hex");
}
