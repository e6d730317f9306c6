import { type Document, isObject, type Node, type Operation } from './document.ts';
import { generateSample } from './sample.ts';
import type { Validate } from './validator.ts';

/** The body of a request with its media type and schema. */
export interface RequestBody {
  readonly mediaType: string;
  readonly schema: unknown;
  readonly value: unknown;
}

/** The values from which a body is generated. */
export interface BodyContext {
  readonly document: Document;
  readonly validate: Validate;
  /** Makes bodies differ. */
  readonly number: number;
}

/** Returns whether a media type is JSON. */
export function isJson(mediaType: string): boolean {
  return /^application\/(.+\+)?json\b/i.test(mediaType) || mediaType.startsWith('*/*');
}

/** The media types that can be sent, the best first. A JSON Patch can't be generated from a schema. */
const ORDER: readonly ((mediaType: string) => boolean)[] = [
  (mediaType) => mediaType.startsWith('application/json') && !mediaType.includes('patch'),
  (mediaType) => mediaType.startsWith('application/merge-patch+json'),
  (mediaType) => isJson(mediaType) && !mediaType.includes('json-patch'),
  (mediaType) => mediaType.startsWith('application/x-www-form-urlencoded'),
  (mediaType) => mediaType.startsWith('multipart/form-data'),
  (mediaType) => /octet-stream$|^text\//.test(mediaType),
];

/**
 * Generates the body of an operation: an example of the document if it is valid, else a value from the schema. Returns undefined if the operation has no body, and
 * null if no valid one could be generated.
 */
export function generateBody(operation: Operation, context: BodyContext): RequestBody | null | undefined {
  const { document, validate } = context;
  if (operation.node.requestBody === undefined) return undefined;
  const content = (document.resolve(operation.node.requestBody).content ?? {}) as Node;
  const mediaType = ORDER.map((isOf) => Object.keys(content).find(isOf)).find((found) => found !== undefined);
  if (mediaType === undefined) return Object.keys(content).length === 0 ? undefined : null;
  const media = content[mediaType] as Node;
  const value = candidates(media, context).find((one) => validate(media.schema ?? {}, one, 'request').length === 0);
  return value === undefined
    ? null
    : { mediaType: mediaType.replace('*/*', 'application/json'), schema: media.schema ?? {}, value };
}

function candidates(media: Node, { document, number }: BodyContext): readonly unknown[] {
  const schema = document.resolve(media.schema);
  const named = Object.values((media.examples ?? {}) as Node).map((one) => document.resolve(one).value);
  const examples = [media.example, ...named, schema.example, ...Object.values((schema.examples ?? {}) as Node)];
  const samples = [false, true].flatMap((withReadOnly) =>
    [2, 1, 0].map((optionalDepth) => generateSample(media.schema, { document, number, optionalDepth, withReadOnly })),
  );
  return [...examples.filter(isObject), ...samples];
}

/** Returns a copy of a value with the value at a path replaced. */
export function replaceAt(value: unknown, [step, ...rest]: readonly string[], replacement: unknown): unknown {
  if (step === undefined) return replacement;
  if (Array.isArray(value))
    return value.map((one, i) => (String(i) === step ? replaceAt(one, rest, replacement) : one));
  return { ...(value as Node), [step]: replaceAt((value as Node)[step], rest, replacement) };
}

/** A text or a number in a value. */
export interface Leaf {
  readonly path: readonly string[];
  readonly name: string;
  readonly value: string | number;
  /** Whether it is a property of an entry of a list. */
  readonly isInList: boolean;
}

/** Returns the texts and numbers of a value, those of the outer objects first. */
export function findLeaves(value: unknown, path: readonly string[] = [], isInList = false): readonly Leaf[] {
  if (typeof value !== 'object' || value === null) return [];
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  const own = entries.flatMap(([name, one]) =>
    typeof one === 'string' || typeof one === 'number'
      ? [{ path: [...path, name], name, value: one, isInList: isInList || isList }]
      : [],
  );
  return [...own, ...entries.flatMap(([name, one]) => findLeaves(one, [...path, name], isInList || isList))];
}
