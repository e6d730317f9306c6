import { Ajv2019, type ValidateFunction } from 'ajv/dist/2019.js';
import { extendAjv } from '../../../src/openapi/ajv.ts';
import { type DocumentedResponse, getOperation, type Schema } from '../fixtures/contract-document.ts';
import type { TestResponse } from '../harness/start-storefront.ts';

const ajv = extendAjv(new Ajv2019({ strict: false, allErrors: true }));

const validators = new Map<Schema, ValidateFunction>();

/**
 * Validates a value against a schema of the shop's contract. Undocumented properties are not allowed. Returns the issues; an empty list if the value is
 * valid.
 */
export function getValueIssues(schema: Schema, value: unknown): readonly string[] {
  let validate = validators.get(schema);
  if (!validate) {
    validate = ajv.compile(closeSchema(schema));
    validators.set(schema, validate);
  }
  validate(value);
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath || 'all of it'} ${message} ${JSON.stringify(params)}`,
  );
}

/**
 * Validates the content type, the body and the headers of a response against the shop's contract. Returns the issues; an empty list if the response is
 * valid.
 */
export function getResponseIssues(
  operationId: string,
  { status, headers, text, body }: TestResponse,
): readonly string[] {
  const { responses } = getOperation(operationId);
  const response = responses[status] ?? responses[`${Math.floor(status / 100)}XX`];
  if (!response) return [`status ${status} is not documented`];
  return [...contentTroubles(response, headers.get('content-type'), text, body), ...headerTroubles(response, headers)];
}

function contentTroubles({ content }: DocumentedResponse, type: string | null, text: string, body: unknown) {
  if (!content) return text === '' && type === null ? [] : [`there is a body of type ${type}: ${text}`];
  const documented = content[type ?? ''];
  return documented ? getValueIssues(documented.schema, body) : [`content type ${type} is not documented`];
}

function headerTroubles({ headers = {} }: DocumentedResponse, sent: Headers): readonly string[] {
  return Object.entries(headers).flatMap(([name, { schema, required }]) => {
    const text = sent.get(name);
    if (text === null) return required ? [`the header ${name} is missing`] : [];
    return getValueIssues(schema, schema.type === 'integer' ? Number(text) : text);
  });
}

/**
 * Returns a copy of a schema in which objects can't have undocumented properties. The parts of an `allOf` still allow other properties, because each part
 * has only some of the properties.
 */
export function closeSchema(schema: Schema): Schema {
  const closed = isObject(schema) ? { unevaluatedProperties: false } : {};
  return { ...withSealedParts(schema), ...closed };
}

function withSealedParts(schema: Schema): Schema {
  const { properties, items, allOf } = schema;
  return {
    ...schema,
    ...(properties && { properties: mapped(properties, closeSchema) }),
    ...(items && { items: closeSchema(items) }),
    ...(allOf && { allOf: allOf.map(withSealedParts) }),
  };
}

function isObject({ type, allOf = [] }: Schema): boolean {
  return type === 'object' || allOf.some(isObject);
}

function mapped<T>(entries: Readonly<Record<string, T>>, change: (value: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(entries).map(([name, value]) => [name, change(value)]));
}
