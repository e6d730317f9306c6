/** Formats a time in milliseconds since 1970 as ISO 8601 in UTC: `2025-06-01T12:00:00.000Z`. */
export function toIsoTime(ms: number): string {
  return new Date(ms).toISOString();
}
