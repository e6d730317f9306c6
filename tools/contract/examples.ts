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

/** Who says whether a value holds: with `closed`, by a schema that allows no properties but its own. */
interface Validators {
  readonly request: SchemaValidator;
  readonly closedRequest: SchemaValidator;
  readonly answer: SchemaValidator;
  readonly closedAnswer: SchemaValidator;
}

interface Place {
  readonly node: Node;
  readonly pointer: string;
}

/**
 * The examples that don't keep to their schema, wherever they stand: those of parameters, headers and bodies, which may have no property beside those
 * documented, and those and the defaults of schemas. And those under `x-refused-examples` that do keep to it: these have to be refused, or no JSON.
 */
export function exampleFindings({ normalized: plain, text }: Contract): readonly DocumentFinding[] {
  const [sent, answered] = [
    createDirectionView(plain, text, 'readOnly'),
    createDirectionView(plain, text, 'writeOnly'),
  ];
  const validators: Validators = {
    request: createSchemaValidator(() => sent),
    closedRequest: createSchemaValidator(() => closeSchemas(sent)),
    answer: createSchemaValidator(() => answered),
    closedAnswer: createSchemaValidator(() => closeSchemas(answered)),
  };
  const places: Place[] = [];
  mapNodes(plain, (node, pointer) => {
    places.push({ node, pointer });
    return node;
  });
  return places.flatMap(({ node, pointer }) =>
    'schema' in node
      ? [
          ...getExamples(plain, pointer).flatMap((example) => wrongExample(validators, { node, pointer }, example)),
          ...refusedExamples(validators, { node, pointer }),
        ]
      : wrongOfSchema(validators, { node, pointer }),
  );
}

function wrongExample(
  validators: Validators,
  { node, pointer }: Place,
  { name, value }: Example,
): readonly DocumentFinding[] {
  const validate = isOfAnswer(pointer) ? validators.closedAnswer : validators.closedRequest;
  const errors = describeErrors(validate, `${pointer}/schema`, value);
  if (errors === undefined) return [];
  const place = name === undefined ? '/example' : `/examples${formatPointer(name)}${isOwn(node, name) ? '/value' : ''}`;
  return [finding(pointer + place, `The example violates its schema: ${errors}`)];
}

/** Whether an example stands here, and not in the components. */
function isOwn({ examples }: Node, name: string): boolean {
  const example = getNode(examples, formatPointer(name));
  return isNode(example) && 'value' in example;
}

/** Whether what stands at a pointer goes to clients: bodies and headers of responses. */
function isOfAnswer(pointer: string): boolean {
  return /\/(responses|headers)\//.test(pointer);
}

function refusedExamples(validators: Validators, { node, pointer }: Place): readonly DocumentFinding[] {
  const refused = node['x-refused-examples'];
  return Object.entries(isNode(refused) ? refused : {}).flatMap(([name, example]) => {
    const value = isNode(example) ? example.value : undefined;
    const isRefused =
      !isJson(value) || describeErrors(validators.request, `${pointer}/schema`, parsed(value)) !== undefined;
    const place = `${pointer}/x-refused-examples${formatPointer(name)}`;
    return isRefused ? [] : [finding(place, 'The refused example is valid, so the server accepts it')];
  });
}

/** A text is a body as it is sent, anything else what such a body says. */
function isJson(value: unknown): boolean {
  try {
    parsed(value);
    return true;
  } catch {
    return false;
  }
}

function parsed(value: unknown): unknown {
  return typeof value === 'string' ? JSON.parse(value) : value;
}

/** What stands in a schema itself goes both ways, and has to hold in one of them. */
function wrongOfSchema({ request, answer }: Validators, { node, pointer }: Place): readonly DocumentFinding[] {
  const values: readonly (readonly [string, unknown])[] = [
    ...('example' in node ? [['/example', node.example] as const] : []),
    ...('default' in node ? [['/default', node.default] as const] : []),
    ...(Array.isArray(node.examples)
      ? node.examples.map((value, place) => [`/examples/${place}`, value] as const)
      : []),
  ];
  return values.flatMap(([place, value]) => {
    const errors = describeErrors(request, pointer, value);
    if (errors === undefined || describeErrors(answer, pointer, value) === undefined) return [];
    return [finding(pointer + place, `The value violates its schema: ${errors}`)];
  });
}

/** What is wrong with a value, in words; undefined where nothing is. */
function describeErrors(validate: SchemaValidator, schema: string, value: unknown): string | undefined {
  const errors = validate(schema, value);
  if (errors.length === 0) return undefined;
  const messages = errors.map(({ instancePath, message, params }) => {
    const name = params.additionalProperty === undefined ? '' : ` (${params.additionalProperty})`;
    return `${instancePath === '' ? 'it' : instancePath} ${message}${name}`;
  });
  return [...new Set(messages)].slice(0, 3).join('; ');
}

function finding(pointer: string, message: string): DocumentFinding {
  return { check: 'examples', pointer, message };
}
