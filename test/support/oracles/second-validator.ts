import { readFileSync } from 'node:fs';
import { validator as schemasafe } from '@exodus/schemasafe';
import { parse } from 'yaml';
import type { TestResponse } from '../harness/start-storefront.ts';

/** Any node of a document. */
type Node = Readonly<Record<string, unknown>>;

/** An operation of a document other than openapi.yaml, as the tests read it. */
export interface OtherOperation {
  /** In upper case. */
  readonly method: string;
  readonly path: string;
  /** Validates a response against its documented status, media type, headers and schema; returns the issues. */
  troublesWith(reply: TestResponse): readonly string[];
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace'];

/** Keywords whose value is a schema, a list of schemas or a map of schemas; other keywords are copied or ignored. */
const INNER = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'];
const INNER_LISTS = ['allOf', 'anyOf', 'oneOf'];
const INNER_NAMES = ['properties', 'patternProperties'];
const PLAIN = ['type', 'enum', 'const', 'multipleOf', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'];
const COUNTS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties'];
const FORMATS = ['date-time', 'date', 'time', 'email', 'hostname', 'ipv4', 'ipv6', 'uri', 'uri-reference', 'uuid'];

/**
 * Returns the operations of the OpenAPI document in the file at `path`, with a validator that shares no code with the one under test: another
 * YAML parser, another validator, another translation of schemas.
 */
export function readOperations(path: string): readonly OtherOperation[] {
  const document = parse(readFileSync(path, 'utf8')) as Node;
  const items = Object.values(document.paths as Record<string, Node>);
  const operations = items.flatMap((item) => METHODS.filter((method) => method in item).map((method) => item[method]));
  const schemas = operations.flatMap((operation) => schemasIn(document, (operation as { responses: Node }).responses));
  const holds = judgeBy(document, schemas);
  return Object.entries(document.paths as Record<string, Node>).flatMap(([path, item]) =>
    METHODS.filter((method) => method in item).map((method) => {
      const { responses } = item[method] as { responses: Node };
      return {
        method: method.toUpperCase(),
        path,
        troublesWith: (reply) => troublesWithReply(document, responses, reply, holds),
      };
    }),
  );
}

type Holds = (schema: unknown, value: unknown) => boolean;

function troublesWithReply(document: Node, responses: Node, reply: TestResponse, holds: Holds): readonly string[] {
  const { status } = reply;
  const node = responses[status] ?? responses[`${Math.floor(status / 100)}XX`] ?? responses.default;
  if (node === undefined) return [`status ${status} is not documented: ${reply.text}`];
  const { content, headers = {} } = settled(document, node);
  return [
    ...(content === undefined ? emptyTroubles(reply) : bodyTroubles(content as Node, reply, holds)),
    ...Object.entries(headers as Node).flatMap(([name, header]) => headerTroubles(name, header as Node, reply, holds)),
  ];
}

function emptyTroubles({ text }: TestResponse): readonly string[] {
  return text === '' ? [] : [`there is a body: ${text}`];
}

function bodyTroubles(content: Node, { headers, text, body }: TestResponse, holds: Holds): readonly string[] {
  const sent = headers.get('content-type') ?? '';
  const media = (content[sent] ?? content['*/*']) as Node | undefined;
  if (!media) return [`content type ${sent} is not documented`];
  if (sent !== 'application/json' || media.schema === undefined) return [];
  return holds(media.schema, body) ? [] : [`the body does not hold: ${text}`];
}

function headerTroubles(
  name: string,
  { required, schema }: Node,
  { headers }: TestResponse,
  holds: Holds,
): readonly string[] {
  const sent = headers.get(name);
  if (sent === null) return required === true ? [`header ${name} is missing`] : [];
  const { type } = schema as Node;
  const value = type === 'integer' ? Number(sent) : type === 'array' ? sent.split(',').map(Number) : sent;
  return holds(schema, value) ? [] : [`header ${name} does not hold: ${sent}`];
}

/** Returns the schemas of bodies and headers of an operation's responses. */
function schemasIn(document: Node, responses: Node): readonly unknown[] {
  return Object.values(responses).flatMap((response) => {
    const { content = {}, headers = {} } = settled(document, response);
    const holders = [...Object.values(content as Node), ...Object.values(headers as Node)];
    return holders.flatMap((holder) => (holder as Node).schema ?? []);
  });
}

/** Creates a validator for schemas, each translated to JSON Schema with all referenced schemas as definitions. One for all: 600 schemas take a second. */
function judgeBy(document: Node, schemas: readonly unknown[]): Holds {
  const definitions: Record<string, unknown> = {};
  const names = new Map<string, string>();
  const formats: Record<string, RegExp> = {};
  const refer = (reference: string) => {
    let name = names.get(reference);
    if (name === undefined) {
      name = `definition${names.size}`;
      names.set(reference, name);
      definitions[name] = translated(at(document, reference), translation);
    }
    return { $ref: `#/$defs/${name}` };
  };
  const formatFor = (pattern: RegExp) => {
    formats[`as${pattern}`] = pattern;
    return `as${pattern}`;
  };
  const translation = { document, refer, formatFor };
  const places = new Map([...new Set(schemas)].map((schema, number) => [schema, `schema${number}`]));
  const properties = Object.fromEntries([...places].map(([schema, place]) => [place, translated(schema, translation)]));
  const root = { $schema: 'https://json-schema.org/draft/2020-12/schema', properties, $defs: definitions };
  // Removes keywords that are undefined.
  const plain = JSON.parse(JSON.stringify(root));
  const validate = schemasafe(plain, { mode: 'lax', formatAssertion: true, formats });
  return (schema, value) => value !== undefined && validate({ [places.get(schema) ?? '']: value } as never);
}

interface Translation {
  readonly document: Node;
  /** Returns a reference to the definition of its target. */
  refer(reference: string): Node;
  /** Returns the name of a format for a pattern that is invalid in Unicode mode. */
  formatFor(pattern: RegExp): string;
}

function translated(schema: unknown, translation: Translation): unknown {
  if (typeof schema === 'boolean') return schema;
  const { $ref, nullable, ...rest } = schema as Node;
  const isOld = String(translation.document.openapi).startsWith('3.0');
  const target = typeof $ref === 'string' ? translation.refer($ref) : {};
  const own = typeof $ref === 'string' && isOld ? {} : keywords(rest, translation);
  const whole = { ...own, ...target };
  return nullable === true ? { anyOf: [whole, { type: 'null' }] } : whole;
}

function keywords(schema: Node, translation: Translation): Node {
  const inner = (value: unknown) => translated(value, translation);
  const made: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if ([...PLAIN, ...COUNTS].includes(key)) made[key] = value;
    if (key === 'format' && FORMATS.includes(value as string)) made[key] = value;
    if (INNER.includes(key)) made[key] = inner(value);
    if (INNER_LISTS.includes(key)) made[key] = (value as unknown[]).map(inner);
    if (INNER_NAMES.includes(key))
      made[key] = Object.fromEntries(Object.entries(value as Node).map(([name, one]) => [name, inner(one)]));
  }
  return {
    ...made,
    ...requirement(schema),
    ...bound(schema, 'minimum', 'exclusiveMinimum'),
    ...bound(schema, 'maximum', 'exclusiveMaximum'),
    ...choice(schema, translation),
    ...expression(schema, translation),
  };
}

/** Returns the required properties of a response, without those that are writeOnly. */
function requirement({ required, properties = {} }: Node): Node {
  if (!Array.isArray(required)) return {};
  const isWritten = (name: string) => ((properties as Node)[name] as Node | undefined)?.writeOnly === true;
  return { required: required.filter((name) => !isWritten(name)) };
}

function bound(schema: Node, name: string, exclusiveName: string): Node {
  if (typeof schema[exclusiveName] !== 'boolean') return {};
  return schema[exclusiveName] === true
    ? { [exclusiveName]: schema[name], [name]: undefined }
    : { [exclusiveName]: undefined };
}

/** Translates a discriminator: only the alternative that its value names must match. */
function choice({ oneOf, discriminator }: Node, { refer }: Translation): Node {
  if (!Array.isArray(oneOf) || discriminator === undefined) return {};
  const { propertyName, mapping = {} } = discriminator as { propertyName: string; mapping?: Record<string, string> };
  const told = oneOf.flatMap(({ $ref }: { $ref: string }) => {
    const name = $ref.replace(/^.*\//, '');
    const values = Object.keys(mapping).filter((value) => [$ref, name].includes(mapping[value] ?? ''));
    return (values.length > 0 ? values : [name]).map((value) => [value, $ref] as const);
  });
  return {
    oneOf: undefined,
    required: [propertyName],
    properties: { [propertyName]: { enum: told.map(([value]) => value) } },
    allOf: told.map(([value, $ref]) => ({
      if: { required: [propertyName], properties: { [propertyName]: { const: value } } },
      // biome-ignore lint/suspicious/noThenProperty: that is its name in JSON Schema.
      then: refer($ref),
    })),
  };
}

/** Translates a pattern; one that is invalid in Unicode mode becomes a format, and one that is invalid in JavaScript is ignored. */
function expression({ pattern }: Node, { formatFor }: Translation): Node {
  if (typeof pattern !== 'string') return {};
  try {
    new RegExp(pattern, 'u');
    return { pattern };
  } catch {
    // Without Unicode mode.
  }
  try {
    return { allOf: [{ format: formatFor(new RegExp(pattern)) }] };
  } catch {
    return {};
  }
}

function settled(document: Node, node: unknown): Node {
  const { $ref } = node as Node;
  return typeof $ref === 'string' ? settled(document, at(document, $ref)) : (node as Node);
}

function at(document: Node, reference: string): unknown {
  return decodeURIComponent(reference.slice(2))
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((node, step) => (node as Node)[step], document);
}
