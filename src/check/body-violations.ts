import type { Contract } from '../openapi/contract.ts';
import { type Document, toNode } from '../openapi/document.ts';
import { findMediaType, isJsonType, isXmlType } from '../openapi/media-types.ts';
import type { DocumentedResponse } from '../openapi/responses.ts';
import { getPartItems, getPartProperties, getSchemaParts } from '../openapi/schema-parts.ts';
import { groupByPointer, isReadOrWriteOnly } from '../openapi/schema-validator.ts';
import { parseXml } from '../openapi/xml/parse-xml.ts';
import { isXmlSchema } from '../openapi/xml/xml-schema.ts';
import { formatPointer } from '../util/json-pointer.ts';
import type { ReceivedResponse } from './exchange.ts';

/** The maximum depth at which a response is searched. */
const MAX_DEPTH = 20;

/**
 * Returns the JSON Pointers of the values in a response that the schema marks `writeOnly`.
 * Does not look into `oneOf` and `anyOf`, because a value need not match the alternative that marks it.
 * `*` stands for any index of an array.
 */
function findWriteOnly(document: Document, schema: string, value: unknown, depth = 0): readonly string[] {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return [];
  const parts = getSchemaParts(document, schema);
  const addStep = (step: string) => (pointer: string) => `/${step}${pointer}`;
  if (Array.isArray(value)) {
    const items = getPartItems(parts);
    const found = items === undefined ? [] : value.flatMap((entry) => findWriteOnly(document, items, entry, depth + 1));
    return [...new Set(found)].map(addStep('*'));
  }
  const properties = getPartProperties(parts);
  return Object.entries(toNode(value)).flatMap(([name, one]) => {
    const property = properties.get(name);
    if (property === undefined) return [];
    const step = formatPointer(name).slice(1);
    if (isReadOrWriteOnly(document, { $ref: `#${property}` }, 'writeOnly')) return [`/${step}`];
    return findWriteOnly(document, property, one, depth + 1).map(addStep(step));
  });
}

/** Returns the places of the values in a JSON response whose schema is `writeOnly`. */
export function findWriteOnlyViolations(
  { normalized }: Contract,
  documented: DocumentedResponse | undefined,
  { headers, body }: ReceivedResponse,
): readonly string[] {
  const schema = documented && getMediaSchema(documented, headers['content-type']);
  return schema === undefined || !isJsonType(headers['content-type'] ?? '')
    ? []
    : findWriteOnly(normalized, schema, body);
}

/**
 * Returns the rules that an XML response violates, each with a message.
 * Text of a schema that describes neither an object nor an array is not compared.
 */
export function findXmlViolations(
  contract: Contract,
  documented: DocumentedResponse | undefined,
  { headers, text }: ReceivedResponse,
): readonly (readonly [rule: string, message: string])[] {
  const type = headers['content-type'] ?? '';
  const schema = documented && getMediaSchema(documented, type);
  if (schema === undefined || !isXmlType(type) || !isXmlSchema(contract.normalized, schema)) return [];
  try {
    const value = parseXml(contract, schema, text);
    return [...groupByPointer(contract.getErrors(schema, value))].map(([pointer, { keyword, message }]) => {
      const place = `body${pointer}`;
      return [`${place.replaceAll(/\/\d+(?=\/|$)/g, '/*')} ${keyword}`, `${place} ${message}`];
    });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return [['body XML', `The content type is ${type}, but the body is not the documented XML: ${error.message}`]];
  }
}

function getMediaSchema({ media }: DocumentedResponse, type = ''): string | undefined {
  return media[findMediaType(Object.keys(media), type) ?? '']?.schema;
}
