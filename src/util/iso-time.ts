/** A time as ISO 8601 text in UTC, `2025-06-01T12:00:00.000Z`. `ms`: since 1970. */
export function toIsoTime(ms: number): string {
  return new Date(ms).toISOString();
}
