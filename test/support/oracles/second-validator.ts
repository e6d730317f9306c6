import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { tryOrUndefined } from '../../../src/util/try-or-undefined.ts';
import { createDocument, type Document, type Node } from '../../../tools/documents/document.ts';
import { compileSchema } from '../../../tools/documents/validator.ts';
import type { TestResponse } from '../harness/start-storefront.ts';

/** An operation of an OpenAPI document, and the validation of its responses. */
export interface OtherOperation {
  /** The HTTP method in upper case. */
  readonly method: string;
  readonly path: string;
  /** Validates the status, content type, headers and body of a response against the document. Returns the issues; an empty list if the response is valid. */
  troublesWith(reply: TestResponse): readonly string[];
}

/** Returns the operations of the OpenAPI document in the file at `path`. */
export function readOperations(path: string): readonly OtherOperation[] {
  return parseOperations(readFileSync(path, 'utf8'));
}

/**
 * Returns the operations of an OpenAPI document in YAML or JSON. Their validation shares no code with the server under test: it uses another YAML parser,
 * another validator, and another conversion of schemas.
 */
export function parseOperations(text: string): readonly OtherOperation[] {
  // JSON is parsed 20 times as fast as YAML.
  const document = createDocument(tryOrUndefined(() => JSON.parse(text)) ?? parse(text));
  const isValid = createValidator(document);
  const open = new Set(document.operations.filter((one) => isOpenRead(document, one)).map(({ path }) => path));
  return document.operations.map(({ method, path, node }) => {
    const isOpen = method === 'GET' || (open.has(path) && method !== 'DELETE');
    const documented = { document, isOpen, responses: node.responses as Node };
    return { method, path, troublesWith: (reply) => findTroubles(documented, reply, isValid) };
  });
}

/** Returns whether a GET has a success response without content. */
function isOpenRead(document: Document, { method, node }: { readonly method: string; readonly node: Node }): boolean {
  const [, success] = Object.entries((node.responses ?? {}) as Node).find(([status]) => /^2/.test(status)) ?? [];
  return method === 'GET' && success !== undefined && document.resolve(success).content === undefined;
}

type IsValid = (schema: unknown, value: unknown) => boolean;

/** Creates a validator for response bodies. It compiles a schema when it is needed for the first time. */
function createValidator(document: Document): IsValid {
  const compiled = new Map<unknown, ReturnType<typeof compileSchema>>();
  return (schema, value) => {
    const validate = compiled.get(schema) ?? compileSchema(document, schema, 'response');
    compiled.set(schema, validate);
    return value !== undefined && validate(value).length === 0;
  };
}

interface Documented {
  readonly document: Document;
  /** Whether a success response without content can have any body. */
  readonly isOpen: boolean;
  readonly responses: Node;
}

function findTroubles(
  { document, isOpen, responses }: Documented,
  reply: TestResponse,
  isValid: IsValid,
): readonly string[] {
  const { status } = reply;
  const node = responses[status] ?? responses[`${Math.floor(status / 100)}XX`] ?? responses.default;
  if (node === undefined) return [`status ${status} is not documented: ${reply.text}`];
  const { content, headers = {} } = document.resolve(node);
  return [
    ...(content === undefined ? emptyTroubles(isOpen, reply) : bodyTroubles(content as Node, reply, isValid)),
    ...Object.entries(headers as Node).flatMap(([name, header]) =>
      headerTroubles(name, header as Node, reply, isValid),
    ),
  ];
}

/** A GET without documented content can have any body, and so can changes at its path. */
function emptyTroubles(isOpen: boolean, { status, text }: TestResponse): readonly string[] {
  return text === '' || (isOpen && status >= 200 && status < 300) ? [] : [`there is a body: ${text}`];
}

function bodyTroubles(content: Node, { headers, text, body }: TestResponse, isValid: IsValid): readonly string[] {
  const sent = headers.get('content-type') ?? '';
  const media = (content[sent] ?? content[`${sent.split('/')[0]}/*`] ?? content['*/*']) as Node | undefined;
  if (!media) return [`content type ${sent} is not documented`];
  if (sent !== 'application/json' || media.schema === undefined) return [];
  return isValid(media.schema, body) ? [] : [`the body does not hold: ${text}`];
}

function headerTroubles(
  name: string,
  { required, schema }: Node,
  { headers }: TestResponse,
  isValid: IsValid,
): readonly string[] {
  const sent = headers.get(name);
  if (sent === null) return required === true ? [`header ${name} is missing`] : [];
  const { type } = schema as Node;
  const value = type === 'integer' ? Number(sent) : type === 'array' ? sent.split(',').map(Number) : sent;
  return isValid(schema, value) ? [] : [`header ${name} does not hold: ${sent}`];
}
