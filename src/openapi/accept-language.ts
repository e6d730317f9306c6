import type { ErrorObject, ValidateFunction } from 'ajv';
import type { readParameters } from './parameters.ts';

const NAME = 'accept-language';

/**
 * Validates the parameters of a request, and returns the errors. Browsers send `Accept-Language` with each request, with the languages of the user (RFC 9110,
 * section 12.5.4). So a parameter with this name is valid if its schema allows one of the languages. With `en-US,en;q=0.9`, the schema must allow `en-US` or
 * `en`. The value `*` stands for any language.
 */
export function validateParameters(
  validators: readonly ValidateFunction[],
  parameters: ReturnType<typeof readParameters>,
): readonly ErrorObject[] {
  const validate = (values: object) => validators.flatMap((check) => (check(values) ? [] : (check.errors ?? [])));
  const errors = validate(parameters);
  const sent = parameters.header[NAME];
  if (typeof sent !== 'string' || !errors.some(isAboutLanguage)) return errors;
  const isAllowed = (language: string) =>
    !validate({ ...parameters, header: { ...parameters.header, [NAME]: language } }).some(isAboutLanguage);
  const hasAllowed = listLanguages(sent).some((language) => language === '*' || isAllowed(language));
  return hasAllowed ? errors.filter((error) => !isAboutLanguage(error)) : errors;
}

function isAboutLanguage({ instancePath }: ErrorObject): boolean {
  return instancePath === `/header/${NAME}`;
}

/** Returns the languages in an `Accept-Language` header, and their shorter forms: `zh-Hant-TW`, `zh-Hant` and `zh`. Leaves out languages with the weight 0. */
function listLanguages(header: string): readonly string[] {
  return header.split(',').flatMap((range) => {
    const [language = '', weight = ''] = range.split(';').map((part) => part.trim());
    if (/^q=0(\.0*)?$/i.test(weight)) return [];
    const tags = language.split('-');
    return tags.map((_, index) => tags.slice(0, tags.length - index).join('-'));
  });
}
