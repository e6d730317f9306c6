import type { Document } from 'openapi-backend';
import { pointerTo } from '../util/json-pointer.ts';
import { statusesOf } from './check-structure.ts';
import { getNode, isNode, resolvePointer } from './document.ts';

/** A response of an operation. */
export interface DocumentedResponse {
  /** A status, a range such as `4XX`, or `default`. */
  readonly name: string;
  /** JSON Pointer of it among the operation's responses. */
  readonly pointer: string;
  /** What its body may be, by media type; empty where it has none. */
  readonly media: Readonly<Record<string, DocumentedMedia>>;
  readonly headers: readonly DocumentedHeader[];
}

export interface DocumentedMedia {
  /** JSON Pointer of the body's schema. */
  readonly schema: string | undefined;
  readonly examples: readonly Example[];
}

export interface DocumentedHeader {
  readonly name: string;
  readonly isRequired: boolean;
  /** The type that its text is to be read as. */
  readonly type: string;
  /** JSON Pointer of its schema. */
  readonly schema: string | undefined;
  readonly examples: readonly Example[];
}

/** An example, by its name; the only one of its place may have none. */
export interface Example {
  readonly name: string | undefined;
  readonly value: unknown;
}

/** The responses of the operation at a pointer, each looked up once. */
export function responsesAt(document: Document, operation: string): readonly DocumentedResponse[] {
  const responses = getNode(document, `${operation}/responses`);
  return statusesOf(isNode(responses) ? responses : {}).map((name) => {
    const own = `${operation}/responses/${name}`;
    const pointer = resolvePointer(document, own);
    const headers = getNode(document, `${pointer}/headers`);
    return {
      name: name.toUpperCase() === 'DEFAULT' ? 'default' : name.toUpperCase(),
      pointer: own,
      media: mediaAt(document, `${pointer}/content`),
      headers: Object.keys(isNode(headers) ? headers : {})
        // What a body is, its own content type says (OpenAPI 3.0, Response Object).
        .filter((header) => header.toLowerCase() !== 'content-type')
        .map((header) => headerAt(document, `${pointer}/headers`, header)),
    };
  });
}

/** The response to a status: documented itself, as a range, or as `default`. */
export function responseTo(responses: readonly DocumentedResponse[], status: number): DocumentedResponse | undefined {
  const named = (name: string) => responses.find((response) => response.name === name);
  return named(String(status)) ?? named(`${Math.floor(status / 100)}XX`) ?? named('default');
}

/** The media types of a `content` and what each may be. */
export function mediaAt(document: Document, content: string): DocumentedResponse['media'] {
  const node = getNode(document, content);
  const entries = Object.keys(isNode(node) ? node : {}).map((type) => {
    const pointer = content + pointerTo(type);
    const media: DocumentedMedia = { schema: schemaAt(document, pointer), examples: examplesIn(document, pointer) };
    return [type, media] as const;
  });
  return Object.fromEntries(entries);
}

function headerAt(document: Document, headers: string, name: string): DocumentedHeader {
  const pointer = resolvePointer(document, headers + pointerTo(name));
  const schema = schemaAt(document, pointer);
  const type = getNode(document, `${resolvePointer(document, schema ?? '')}/type`);
  return {
    name,
    isRequired: getNode(document, `${pointer}/required`) === true,
    type: schema === undefined ? 'string' : String(Array.isArray(type) ? type[0] : type),
    schema,
    examples: examplesIn(document, pointer),
  };
}

function schemaAt(document: Document, holder: string): string | undefined {
  const schema = getNode(document, `${holder}/schema`);
  return isNode(schema) || schema === true ? `${holder}/schema` : undefined;
}

/** The examples of what stands at a pointer, a media type, header or parameter: those in `examples`, else the one in `example`. */
export function examplesIn(document: Document, pointer: string): readonly Example[] {
  const holder = getNode(document, pointer);
  if (!isNode(holder)) return [];
  const names = Object.keys(isNode(holder.examples) ? holder.examples : {});
  const named = names.flatMap((name) => {
    const example = getNode(document, resolvePointer(document, `${pointer}/examples${pointerTo(name)}`));
    return isNode(example) && 'value' in example ? [{ name, value: example.value }] : [];
  });
  if (named.length > 0) return named;
  return 'example' in holder ? [{ name: undefined, value: holder.example }] : [];
}

/** The media type among some that a content type is of: with its parameters, without them, or by a wildcard. */
export function mediaTypeFor(types: readonly string[], contentType: string): string | undefined {
  if (types.includes(contentType)) return contentType;
  const bare = bareType(contentType);
  const [main] = bare.split('/');
  return (
    types.find((type) => type.toLowerCase() === contentType.toLowerCase()) ??
    types.find((type) => bareType(type) === bare) ??
    types.find((type) => bareType(type) === `${main}/*`) ??
    types.find((type) => bareType(type) === '*/*')
  );
}

/** The media type of a form as pages send it. */
export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** Whether bodies of a media type are read, and not only let through. */
export function isRead(contentType: string): boolean {
  return isJsonType(contentType) || bareType(contentType) === FORM_TYPE;
}

/** A media type without its parameters, in lower case. */
export function bareType(type: string): string {
  return (type.split(';')[0] ?? '').trim().toLowerCase();
}

/** Whether what is of a media type is JSON. */
export function isJsonType(type: string): boolean {
  return type === 'application/json' || /^([^/]+\/)?([^/]+\+)?json$/.test(bareType(type));
}
