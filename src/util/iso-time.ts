/** Formats a time in milliseconds since 1970 as ISO 8601 in UTC: `2025-06-01T12:00:00.000Z`. */
export function toIsoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** Matches an RFC 3339 time with a leap second: `2016-12-31T23:59:60Z`. */
const LEAP_SECOND = /^(.{16}):60/;

/**
 * Parses an RFC 3339 time, or a number of ms since 1970.
 * Returns ms since 1970, or NaN for an invalid time.
 * A leap second becomes the next second.
 */
export function parseTime(time: string | number): number {
  if (typeof time === 'number') return time;
  const leapMs = LEAP_SECOND.test(time) ? 1000 : 0;
  return Date.parse(time.replace(LEAP_SECOND, '$1:59')) + leapMs;
}
