import type { Report } from './report.ts';

/** Returns a report with control characters escaped as in JSON, and without line breaks, in all texts: servers can send anything. */
export function toReadable(report: Report): Report {
  return escapeTexts(report) as Report;
}

function escapeTexts(value: unknown): unknown {
  if (typeof value === 'string') return escapeControls(value);
  if (Array.isArray(value)) return value.map(escapeTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, escapeTexts(one)]));
}

function escapeControls(text: string): string {
  const toEscape = (one: string) => `\\u${(one.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  return text.replaceAll(/\s*[\r\n]\s*/g, ' ').replaceAll(/[\p{Control}\p{Format}\u2028\u2029]/gu, toEscape);
}
