/** SQL for a timestamp column as epoch milliseconds. */
export function epochMs(column: string): string {
  return `floor(extract(epoch from ${column}) * 1000)::float8`;
}
