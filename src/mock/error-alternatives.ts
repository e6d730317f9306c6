import type { Contract } from '../openapi/contract.ts';
import { getNode, isNode, resolvePointer, toNode } from '../openapi/document.ts';
import { rateCode } from './documented-codes.ts';
import { Description, describeError } from './error-body.ts';
import { isCodeName, type RequestError, splitError } from './error-fields.ts';

/** The maximum number of alternatives of a schema that are looked at. */
const MAX_ALTERNATIVES = 100;

/**
 * Creates a function that creates error bodies for a schema with a `oneOf` or `anyOf` of objects, each with a code of
 * its own: the one whose code fits an error best, such as `{ "type": "not_found", "entity": "…" }` for 404.
 * The function returns undefined if no alternative fits.
 * Returns undefined if the schema has no alternatives.
 * `generate`: returns a value for the schema at a JSON Pointer; undefined if no valid value is found.
 * `isValid`: whether a value is a complete body.
 */
export function createAlternatives(
  { normalized }: Pick<Contract, 'normalized'>,
  schema: string,
  generate: (schema: string) => unknown,
  isValid: (body: unknown) => boolean,
): ((error: RequestError) => unknown) | undefined {
  const root = resolvePointer(normalized, schema);
  const node = toNode(getNode(normalized, root));
  const keyword = ['oneOf', 'anyOf'].find((name) => Array.isArray(node[name]));
  const count = keyword === undefined ? 0 : Math.min((node[keyword] as unknown[]).length, MAX_ALTERNATIVES);
  if (count < 2) return undefined;
  let bases: readonly unknown[] | undefined;
  return (error) => {
    bases ??= [...Array(count).keys()].map((index) => generate(`${root}/${keyword}/${index}`)).filter(isValid);
    // Such an error often names one invalid value in a field of its own.
    const described = error.violations.length > 0 ? (splitError(error)[0] ?? error) : error;
    const rated = bases.map((base) => {
      const { value, description } = describeError(base, isValid, { ...described, detail: error.detail });
      return { value, description, rate: Math.max(0, ...listCodes(value).map((code) => rateCode(code, error))) };
    });
    const fitting = rated.filter(({ rate, description }) => rate > 0 && description === Description.message);
    return fitting.sort((a, b) => b.rate - a.rate)[0]?.value;
  };
}

/** Returns the texts in the fields of an object that have codes. */
function listCodes(body: unknown): readonly unknown[] {
  return isNode(body)
    ? Object.entries(body).flatMap(([name, value]) => (isCodeName(name) && typeof value === 'string' ? [value] : []))
    : [];
}
