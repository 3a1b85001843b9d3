// A vector as it is kept: one signed byte per dimension and one scale, of the vector brought to length one.

export interface Int8Vector {
  /** What a byte is multiplied with to get the component back. */
  scale: number;
  bytes: Int8Array;
}

const largestByte = 127;

/** The vector at length one; undefined for one without direction (all zero, or with a component that is no number). */
export function unitVector(vector: Float32Array): Float32Array | undefined {
  let squares = 0;
  for (const component of vector) squares += component * component;
  if (!Number.isFinite(squares) || squares === 0) return undefined;
  const length = Math.sqrt(squares);
  return vector.map((component) => component / length);
}

/**
 * The unit vector in bytes. They use the whole range, whatever the vector's largest component; the scale is what brings
 * the bytes back to length one, which takes half of the rounding error out of a comparison.
 */
export function toInt8(unit: Float32Array): Int8Vector {
  let largest = 0;
  for (const component of unit) largest = Math.max(largest, Math.abs(component));
  const bytes = Int8Array.from(unit, (component) => Math.round((component / largest) * largestByte));
  let squares = 0;
  for (const byte of bytes) squares += byte * byte;
  return { scale: 1 / Math.sqrt(squares), bytes };
}

/** The cosine of a unit vector in full precision and a kept one. */
export function cosine(unit: Float32Array, { scale, bytes }: Int8Vector): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at++) sum += (unit[at] as number) * (bytes[at] as number);
  return Math.max(-1, Math.min(1, sum * scale));
}
