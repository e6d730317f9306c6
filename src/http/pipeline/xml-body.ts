import type { Contract } from '../../openapi/contract.ts';
import type { Route } from '../../openapi/routes.ts';
import { isXmlSchema, isXmlType, parseXml } from '../../openapi/xml.ts';
import { HttpProblemError } from '../problem.ts';

/**
 * Returns the value that the schema describes for a body in XML. `contentType`: the documented media type. Returns undefined for other types, for an empty body, and
 * for a schema that describes neither an object nor an array. Throws an `HttpProblemError` if the text is not well-formed, or if it has another root element.
 */
export function readXmlBody(
  { normalized }: Contract,
  { bodyMedia }: Route,
  { contentType = '', text = '' }: { readonly contentType?: string | undefined; readonly text?: string | undefined },
): unknown {
  const schema = bodyMedia[contentType]?.schema;
  if (!isXmlType(contentType) || text === '' || schema === undefined || !isXmlSchema(normalized, schema))
    return undefined;
  try {
    return parseXml(normalized, schema, text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new HttpProblemError({
      code: 'malformed-request',
      detail: `the body is not the expected XML: ${error.message}`,
    });
  }
}
