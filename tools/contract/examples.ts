import { closeSchemas } from '../../src/openapi/close-schemas.ts';
import type { Contract } from '../../src/openapi/contract.ts';
import { getNode, isNode, type Node } from '../../src/openapi/document.ts';
import { type Example, getExamples } from '../../src/openapi/responses.ts';
import {
  createDirectionView,
  createSchemaValidator,
  type SchemaValidator,
} from '../../src/openapi/schema-validator.ts';
import { mapNodes } from '../../src/openapi/walk-schemas.ts';
import { formatPointer } from '../../src/util/json-pointer.ts';
import type { DocumentFinding } from './finding.ts';

/** The validators for requests and for responses. The closed validators reject undocumented properties. */
interface Validators {
  readonly request: SchemaValidator;
  readonly closedRequest: SchemaValidator;
  readonly response: SchemaValidator;
  readonly closedResponse: SchemaValidator;
}

/** A node of the document and its JSON Pointer. */
interface Place {
  readonly node: Node;
  readonly pointer: string;
}

/**
 * Returns a finding for each example and each default value that violates its schema. Examples of parameters, headers and bodies must not have undocumented
 * properties. Also returns a finding for each valid example in `x-refused-examples`, because these are examples of request bodies that the server must reject.
 */
export function exampleFindings({ normalized: plain, text }: Contract): readonly DocumentFinding[] {
  const [requestDocument, responseDocument] = [
    createDirectionView(plain, text, 'readOnly'),
    createDirectionView(plain, text, 'writeOnly'),
  ];
  const validators: Validators = {
    request: createSchemaValidator(() => requestDocument),
    closedRequest: createSchemaValidator(() => closeSchemas(requestDocument)),
    response: createSchemaValidator(() => responseDocument),
    closedResponse: createSchemaValidator(() => closeSchemas(responseDocument)),
  };
  const places: Place[] = [];
  mapNodes(plain, (node, pointer) => {
    places.push({ node, pointer });
    return node;
  });
  return places.flatMap(({ node, pointer }) =>
    'schema' in node
      ? [
          ...getExamples(plain, pointer).flatMap((example) => checkExample(validators, { node, pointer }, example)),
          ...checkRefusedExamples(validators, { node, pointer }),
        ]
      : checkSchemaValues(validators, { node, pointer }),
  );
}

function checkExample(
  validators: Validators,
  { node, pointer }: Place,
  { name, value }: Example,
): readonly DocumentFinding[] {
  const validate = isInResponse(pointer) ? validators.closedResponse : validators.closedRequest;
  const errors = describeErrors(validate, `${pointer}/schema`, value);
  if (errors === undefined) return [];
  const place =
    name === undefined ? '/example' : `/examples${formatPointer(name)}${isInline(node, name) ? '/value' : ''}`;
  return [createFinding(pointer + place, `The example violates its schema: ${errors}`)];
}

/** Returns whether the contract contains an example at this place, and not a reference to the example. */
function isInline({ examples }: Node, name: string): boolean {
  const example = getNode(examples, formatPointer(name));
  return isNode(example) && 'value' in example;
}

/** Returns whether a pointer is in a response or in a header of a response. */
function isInResponse(pointer: string): boolean {
  return /\/(responses|headers)\//.test(pointer);
}

function checkRefusedExamples(validators: Validators, { node, pointer }: Place): readonly DocumentFinding[] {
  const refused = node['x-refused-examples'];
  return Object.entries(isNode(refused) ? refused : {}).flatMap(([name, example]) => {
    const value = isNode(example) ? example.value : undefined;
    const isRefused =
      !isJson(value) || describeErrors(validators.request, `${pointer}/schema`, parseBody(value)) !== undefined;
    const place = `${pointer}/x-refused-examples${formatPointer(name)}`;
    return isRefused ? [] : [createFinding(place, 'The refused example is valid, so the server accepts it')];
  });
}

/** Returns whether the value of an example is JSON. A string is the text of a request body. Any other value is a parsed body. */
function isJson(value: unknown): boolean {
  try {
    parseBody(value);
    return true;
  } catch {
    return false;
  }
}

function parseBody(value: unknown): unknown {
  return typeof value === 'string' ? JSON.parse(value) : value;
}

/** Checks the examples and the default of a schema, which must be valid in requests or in responses. */
function checkSchemaValues({ request, response }: Validators, { node, pointer }: Place): readonly DocumentFinding[] {
  const values: readonly (readonly [string, unknown])[] = [
    ...('example' in node ? [['/example', node.example] as const] : []),
    ...('default' in node ? [['/default', node.default] as const] : []),
    ...(Array.isArray(node.examples)
      ? node.examples.map((value, index) => [`/examples/${index}`, value] as const)
      : []),
  ];
  return values.flatMap(([place, value]) => {
    const errors = describeErrors(request, pointer, value);
    if (errors === undefined || describeErrors(response, pointer, value) === undefined) return [];
    return [createFinding(pointer + place, `The value violates its schema: ${errors}`)];
  });
}

/** Describes the errors of a value; undefined if it is valid. */
function describeErrors(validate: SchemaValidator, schema: string, value: unknown): string | undefined {
  const errors = validate(schema, value);
  if (errors.length === 0) return undefined;
  const messages = errors.map(({ instancePath, message, params }) => {
    const name = params.additionalProperty === undefined ? '' : ` (${params.additionalProperty})`;
    return `${instancePath === '' ? 'it' : instancePath} ${message}${name}`;
  });
  return [...new Set(messages)].slice(0, 3).join('; ');
}

function createFinding(pointer: string, message: string): DocumentFinding {
  return { check: 'examples', pointer, message };
}
