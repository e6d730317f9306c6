import type { Parameters } from './parameters.ts';

const NAME = 'accept-language';

/** The part of the header that is examined, in characters. Browsers send less than 200. */
const MAX_LENGTH = 1_000;

/** The maximum number of parts of a language tag that are examined: `zh-Hant-TW` has three. */
const MAX_PARTS = 4;

/**
 * Returns whether a schema allows one of the languages in the header `Accept-Language`. Browsers send the languages of the user with each request (RFC 9110,
 * section 12.5.4). With `en-US,en;q=0.9`, the schema must allow `en-US` or `en`. The value `*` stands for any language. `isValid`: returns whether the schema of
 * the parameter allows the header in `parameters`.
 */
export function acceptsLanguage(parameters: Parameters, isValid: (parameters: Parameters) => boolean): boolean {
  const sent = parameters.header[NAME];
  const text = [sent].flat().join(',').slice(0, MAX_LENGTH);
  const toHeader = (language: string) => (Array.isArray(sent) ? [language] : language);
  for (const language of listLanguages(text)) {
    if (language === '*') return true;
    if (isValid({ ...parameters, header: { ...parameters.header, [NAME]: toHeader(language) } })) return true;
  }
  return false;
}

/** Returns the languages in an `Accept-Language` header, and their shorter forms: `zh-Hant-TW`, `zh-Hant` and `zh`. Leaves out languages with the weight 0. */
function* listLanguages(header: string): Generator<string> {
  for (const range of header.split(',')) {
    const [language = '', weight = ''] = range.split(';').map((part) => part.trim());
    if (/^q=0(\.0*)?$/i.test(weight)) continue;
    const parts = language.split('-').slice(0, MAX_PARTS);
    for (let length = parts.length; length > 0; length--) yield parts.slice(0, length).join('-');
  }
}
