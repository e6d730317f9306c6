import { closeSchemas } from '../../src/openapi/close-schemas.ts';
import type { Contract } from '../../src/openapi/contract.ts';
import { getNode, isNode, type Node } from '../../src/openapi/document.ts';
import { type Example, examplesIn } from '../../src/openapi/responses.ts';
import { createSchemaValidator, type SchemaValidator, viewOf } from '../../src/openapi/schema-validator.ts';
import { mapNodes } from '../../src/openapi/walk-schemas.ts';
import { pointerTo } from '../../src/util/json-pointer.ts';
import type { DocumentFinding } from './finding.ts';

/** Who says whether a value holds: with `closed`, by a schema that allows no properties but its own. */
interface Judges {
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
export function exampleFindings({ plain, text }: Contract): readonly DocumentFinding[] {
  const [sent, answered] = [viewOf(plain, text, 'readOnly'), viewOf(plain, text, 'writeOnly')];
  const judges: Judges = {
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
          ...examplesIn(plain, pointer).flatMap((example) => wrongExample(judges, { node, pointer }, example)),
          ...refusedExamples(judges, { node, pointer }),
        ]
      : wrongOfSchema(judges, { node, pointer }),
  );
}

function wrongExample(judges: Judges, { node, pointer }: Place, { name, value }: Example): readonly DocumentFinding[] {
  const judge = isOfAnswer(pointer) ? judges.closedAnswer : judges.closedRequest;
  const wrong = wrongness(judge, `${pointer}/schema`, value);
  if (wrong === undefined) return [];
  const place = name === undefined ? '/example' : `/examples${pointerTo(name)}${isOwn(node, name) ? '/value' : ''}`;
  return [finding(pointer + place, `The example violates its schema: ${wrong}`)];
}

/** Whether an example stands here, and not in the components. */
function isOwn({ examples }: Node, name: string): boolean {
  const example = getNode(examples, pointerTo(name));
  return isNode(example) && 'value' in example;
}

/** Whether what stands at a pointer goes to clients: bodies and headers of responses. */
function isOfAnswer(pointer: string): boolean {
  return /\/(responses|headers)\//.test(pointer);
}

function refusedExamples(judges: Judges, { node, pointer }: Place): readonly DocumentFinding[] {
  const refused = node['x-refused-examples'];
  return Object.entries(isNode(refused) ? refused : {}).flatMap(([name, example]) => {
    const value = isNode(example) ? example.value : undefined;
    const isRefused = !isJson(value) || wrongness(judges.request, `${pointer}/schema`, parsed(value)) !== undefined;
    const place = `${pointer}/x-refused-examples${pointerTo(name)}`;
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
function wrongOfSchema({ request, answer }: Judges, { node, pointer }: Place): readonly DocumentFinding[] {
  const values: readonly (readonly [string, unknown])[] = [
    ...('example' in node ? [['/example', node.example] as const] : []),
    ...('default' in node ? [['/default', node.default] as const] : []),
    ...(Array.isArray(node.examples)
      ? node.examples.map((value, place) => [`/examples/${place}`, value] as const)
      : []),
  ];
  return values.flatMap(([place, value]) => {
    const wrong = wrongness(request, pointer, value);
    if (wrong === undefined || wrongness(answer, pointer, value) === undefined) return [];
    return [finding(pointer + place, `The value violates its schema: ${wrong}`)];
  });
}

/** What is wrong with a value, in words; undefined where nothing is. */
function wrongness(judge: SchemaValidator, schema: string, value: unknown): string | undefined {
  const errors = judge(schema, value);
  if (errors.length === 0) return undefined;
  const told = errors.map(({ instancePath, message, params }) => {
    const name = params.additionalProperty === undefined ? '' : ` (${params.additionalProperty})`;
    return `${instancePath === '' ? 'it' : instancePath} ${message}${name}`;
  });
  return [...new Set(told)].slice(0, 3).join('; ');
}

function finding(pointer: string, message: string): DocumentFinding {
  return { check: 'examples', pointer, message };
}
