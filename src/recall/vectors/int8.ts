// The stored form of a vector: the unit vector as one signed byte per dimension, and a scale.

export interface Int8Vector {
  /** A byte times the scale is the component. */
  scale: number;
  bytes: Int8Array;
}

const largestByte = 127;

/** The unit vector; undefined if all components are zero or one is not finite. */
export function unitVector(vector: Float32Array): Float32Array | undefined {
  let squares = 0;
  for (const component of vector) squares += component * component;
  if (!Number.isFinite(squares) || squares === 0) return undefined;
  const length = Math.sqrt(squares);
  return vector.map((component) => component / length);
}

/**
 * The unit vector in bytes, which use the whole range. The scale restores length one, which removes half of the rounding
 * error of a comparison.
 */
export function toInt8(unit: Float32Array): Int8Vector {
  let largest = 0;
  for (const component of unit) largest = Math.max(largest, Math.abs(component));
  const bytes = Int8Array.from(unit, (component) => Math.round((component / largest) * largestByte));
  let squares = 0;
  for (const byte of bytes) squares += byte * byte;
  return { scale: 1 / Math.sqrt(squares), bytes };
}

/** The cosine of a unit vector and a stored one. */
export function cosine(unit: Float32Array, { scale, bytes }: Int8Vector): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at++) sum += (unit[at] as number) * (bytes[at] as number);
  return Math.max(-1, Math.min(1, sum * scale));
}
