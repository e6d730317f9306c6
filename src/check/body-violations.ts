import type { Contract } from '../openapi/contract.ts';
import { findMediaType, isJsonType } from '../openapi/media-types.ts';
import type { DocumentedResponse } from '../openapi/responses.ts';
import { groupByPointer } from '../openapi/schema-validator.ts';
import { isXmlSchema, isXmlType, parseXml } from '../openapi/xml.ts';
import type { ReceivedResponse } from './exchange.ts';
import { findWriteOnly } from './write-only.ts';

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

/** Returns the rules that an XML response violates, each with a message. Text of a schema that describes neither an object nor an array is not compared. */
export function findXmlViolations(
  contract: Contract,
  documented: DocumentedResponse | undefined,
  { headers, text }: ReceivedResponse,
): readonly (readonly [rule: string, message: string])[] {
  const type = headers['content-type'] ?? '';
  const schema = documented && getMediaSchema(documented, type);
  if (schema === undefined || !isXmlType(type) || !isXmlSchema(contract.normalized, schema)) return [];
  try {
    const value = parseXml(contract.normalized, schema, text);
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
