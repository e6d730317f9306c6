import { FORM_TYPE, JSON_TYPE, MULTIPART_TYPE } from '../util/request-target.ts';

/**
 * Returns the documented media type that matches a content type.
 * Tries an exact match first, then a match without parameters, then wildcards.
 */
export function findMediaType(types: readonly string[], contentType: string): string | undefined {
  if (types.includes(contentType)) return contentType;
  const bare = removeTypeParameters(contentType);
  const [main] = bare.split('/');
  return (
    types.find((type) => type.toLowerCase() === contentType.toLowerCase()) ??
    types.find((type) => removeTypeParameters(type) === bare) ??
    types.find((type) => removeTypeParameters(type) === `${main}/*`) ??
    types.find((type) => removeTypeParameters(type) === '*/*')
  );
}

/** Returns whether request bodies of a media type are parsed and validated: JSON and forms. */
export function isParsedType(contentType: string): boolean {
  return isJsonType(contentType) || isFormBody(contentType);
}

/**
 * Returns whether a media type is a form (URL-encoded or multipart).
 * Its values are strings, which the validator converts to the types of the schema.
 */
export function isFormBody(contentType: string): boolean {
  const type = removeTypeParameters(contentType);
  return type === FORM_TYPE || type === MULTIPART_TYPE;
}

/** The media type of a JSON Patch (RFC 6902, section 6). */
export const PATCH_TYPE = 'application/json-patch+json';

/** Returns a media type without its parameters, in lower case. */
export function removeTypeParameters(type: string): string {
  if (type === JSON_TYPE) return type;
  return (type.split(';')[0] ?? '').trim().toLowerCase();
}

/** Returns whether a media type is JSON, such as `application/json` or `application/problem+json`. */
export function isJsonType(type: string): boolean {
  const bare = removeTypeParameters(type);
  // A stream of JSON texts is not JSON.
  return type === JSON_TYPE || (/^([^/]+\/)?([^/]+\+)?json$/.test(bare) && bare !== 'application/stream+json');
}

/**
 * Returns whether a documented media type allows JSON: JSON itself, `application/*`, and the range of all types, which
 * Spring documents by default.
 */
export function allowsJson(type: string): boolean {
  return isJsonType(type) || JSON_RANGES.includes(removeTypeParameters(type));
}

const JSON_RANGES = ['*/*', 'application/*'];

/** Returns whether a media type is XML, such as `application/xml` or `application/atom+xml`. */
export function isXmlType(type: string): boolean {
  return /^(?:application|text)\/xml$|\+xml$/.test(removeTypeParameters(type));
}
