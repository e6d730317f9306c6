const OMITTED =
  'left out|leaves? out|omit(?:s|ted)?|missing|absent|others?|not (?:given|sent|specified|provided|present)';
const KEPT =
  'kept|keeps?|stays?|remains?|unchanged|untouched|retain(?:s|ed)?|preserve[sd]?|persists?|not (?:be )?changed?';

/** Matches a sentence that describes an update which changes only the properties that it has. */
const PARTIAL = new RegExp(
  [
    '\\bpartial',
    '\\bmerg',
    '\\bsubset\\b',
    '\\b(?:only|just) (?:the )?(?:given|sent|specified|provided|supplied|included|present|changed)',
    `\\b(?:${OMITTED})\\b.*\\b(?:${KEPT})\\b`,
    `\\b(?:${KEPT}|leaves?|ignores?)\\b.*\\b(?:${OMITTED})\\b`,
  ].join('|'),
  'i',
);

/** Matches a sentence that says that an update is not partial, or where to send a partial one. */
const COMPLETE =
  /\b(?:not|no|never|rather than|instead of)\b (?:(?:a|be|is|support(?:s|ed)?|allow(?:s|ed)?) )*(?:partial|merg)|\b(?:use|see|prefer|call|send)\b.*\bPATCH\b/i;

/** Returns whether the description of an update says that it changes only the properties that it has. */
export function describesPartialUpdate(text: string): boolean {
  return text.split(/[.;\n]/).some((sentence) => PARTIAL.test(sentence) && !COMPLETE.test(sentence));
}
