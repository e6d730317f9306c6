import { describe, expect, it } from 'vitest';
import {
  contractDocument,
  documentedOperations,
  getMediaType,
  getOperation,
  type WithExamples,
} from '../support/fixtures/contract-document.ts';
import { getValueIssues } from '../support/oracles/contract-validator.ts';

/** Returns the objects in the document that have a schema and examples. */
function findExemplified(node: unknown, place = '#'): readonly (readonly [string, WithExamples])[] {
  if (typeof node !== 'object' || node === null) return [];
  const own =
    'schema' in node && ('example' in node || 'examples' in node) ? [[place, node as WithExamples] as const] : [];
  return [...own, ...Object.entries(node).flatMap(([key, value]) => findExemplified(value, `${place}/${key}`))];
}

const examples = findExemplified(contractDocument).flatMap(([place, { schema, example, examples = {} }]) => [
  ...(example === undefined ? [] : [{ place, schema, value: example }]),
  ...Object.entries(examples).map(([name, { value }]) => ({ place: `${place} ${name}`, schema, value })),
]);

const byId = documentedOperations.map((operation) => [operation.operationId, operation] as const);

/** The request examples whose response has no body, and therefore no example. */
const WITHOUT_BODY: Readonly<Record<string, string>> = { removed: '204' };

/** Returns the statuses of an operation whose responses have an example with a name. */
function statusesWith(operation: (typeof documentedOperations)[number], name: string): readonly string[] {
  return Object.entries(operation.responses)
    .filter(([status, response]) => {
      const content = getMediaType(response);
      return content ? Object.hasOwn(content.examples ?? {}, name) : WITHOUT_BODY[name] === status;
    })
    .map(([status]) => status);
}

describe('the examples in openapi.yaml', () => {
  it('are in more than fifty places', () => expect(examples.length).toBeGreaterThan(50));

  it.each(examples)('are valid against their schemas: $place', ({ schema, value }) => {
    expect(getValueIssues(schema, value)).toEqual([]);
  });
});

describe('the request examples in openapi.yaml', () => {
  it.each(byId)('each have exactly one response example of the same name: %s', (_, operation) => {
    const names = [
      ...(operation.parameters ?? []).flatMap((parameter) => Object.keys(parameter.examples ?? {})),
      ...Object.keys(getMediaType(operation.requestBody)?.examples ?? {}),
    ];
    const pairs = names.map((name) => [name, statusesWith(operation, name).length]);
    expect(pairs).toEqual(names.map((name) => [name, 1]));
  });

  it.each(byId)('each have a value for every path parameter: %s', (_, operation) => {
    const parameters = operation.parameters ?? [];
    const names = [
      ...parameters.flatMap(({ examples = {} }) => Object.keys(examples)),
      ...Object.keys(getMediaType(operation.requestBody)?.examples ?? {}),
    ];
    const inPath = parameters.filter((parameter) => parameter.in === 'path');
    const missing = inPath.flatMap(({ name, examples = {} }) =>
      names.filter((one) => !Object.hasOwn(examples, one)).map((one) => `${name} has no example ${one}`),
    );
    expect(missing).toEqual([]);
  });

  it.each(byId)('each have a value for every required header of the response: %s', (_, operation) => {
    const missing = Object.entries(operation.responses).flatMap(([status, response]) => {
      const names = Object.keys(getMediaType(response)?.examples ?? {});
      return Object.entries(response.headers ?? {}).flatMap(([header, { required, examples = {} }]) =>
        names
          .filter((name) => required && !Object.hasOwn(examples, name))
          .map((name) => `${header} of ${status} has no example ${name}`),
      );
    });
    expect(missing).toEqual([]);
  });

  it.each(byId)('that are invalid have a 400 response example of the same name: %s', (_, operation) => {
    const names = Object.keys(getMediaType(operation.requestBody)?.['x-refused-examples'] ?? {});
    expect(names.map((name) => [name, statusesWith(operation, name)])).toEqual(names.map((name) => [name, ['400']]));
  });

  const refused = documentedOperations.flatMap(({ operationId, requestBody }) => {
    const content = getMediaType(requestBody);
    return Object.entries(content?.['x-refused-examples'] ?? {}).map(
      ([name, { value }]) => [operationId, name, content?.schema ?? {}, value] as const,
    );
  });

  it('exist for both operations with a body', () => {
    expect(new Set(refused.map(([operationId]) => operationId))).toEqual(new Set(['addCartItem', 'updateCartItem']));
  });

  it.each(refused)('that are invalid are refused by the schema: %s %s', (_operationId, _name, schema, value) => {
    expect(getValueIssues(schema, value)).not.toEqual([]);
  });
});

describe('the operations in openapi.yaml', () => {
  it.each(byId)('each have a summary, a description and a tag: %s', (_, { summary, description, tags }) => {
    expect([summary, description, tags?.[0]]).toEqual(Array(3).fill(expect.stringMatching(/\w/)));
  });

  it.each(byId)('each document 4XX, 5XX and no default response: %s', (_, { responses }) => {
    const statuses = Object.keys(responses);
    expect(statuses).toEqual(expect.arrayContaining(['4XX', '5XX']));
    expect(statuses).not.toContain('default');
  });

  it.each(byId)('each have exactly one success: %s', (_, { responses }) => {
    expect(Object.keys(responses).filter((status) => status.startsWith('2'))).toEqual([
      expect.stringMatching(/^2\d\d$/),
    ]);
  });
});

describe('a link in openapi.yaml', () => {
  const links = documentedOperations.flatMap(({ operationId, responses }) =>
    Object.values(responses).flatMap(({ links = {} }) =>
      Object.entries(links).map(([name, link]) => [operationId, name, link] as const),
    ),
  );

  it('exists in more than five responses', () => expect(links.length).toBeGreaterThan(5));

  it.each(links)('has a value for each property of the request body: %s %s', (_id, _name, link) => {
    const schema = getMediaType(getOperation(link.operationId).requestBody)?.schema;
    expect(Object.keys(link.requestBody ?? {}).sort()).toEqual(Object.keys(schema?.properties ?? {}).sort());
  });
});
