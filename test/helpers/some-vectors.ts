// Vectors for tests: distinct directions, and clusters as real models give them.
import { toInt8, unitVector } from "../../src/recall/vectors/int8.ts";
import { createRandom } from "./random.ts";

/** A vector of length one that points along one axis, a little off it. */
export function along(axis: number, dimension = 64): Float32Array {
  const vector = Float32Array.from({ length: dimension }, (_, at) =>
    at === axis ? 1 : 0.01 * ((at % 7) - 3),
  );
  return unitVector(vector) ?? vector;
}

/** As it is stored. */
export function stored(unit: Float32Array): { scale: number; bytes: Int8Array } {
  return toInt8(unit);
}

/** `count` vectors of length one around `clusters` centres. */
export function clustered(count: number, { dimension = 128, clusters = 20, seed = 1 } = {}): Float32Array[] {
  const random = createRandom(seed);
  const component = () => random.between(-1_000, 1_000) / 1_000;
  const direction = () => Float32Array.from({ length: dimension }, component);
  const centres = Array.from({ length: clusters }, direction);
  return Array.from({ length: count }, (_, at) => {
    const centre = centres[at % clusters] ?? direction();
    return unitVector(centre.map((value) => value + component())) ?? centre;
  });
}
