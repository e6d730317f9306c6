import { createCredentials } from './credentials.ts';
import { type Document, isObject, type Node, type Operation } from './document.ts';
import { isJson, type RequestBody } from './request-body.ts';
import { generateSample } from './sample.ts';

/** A response as the runner reads it. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed JSON of the text, else undefined. */
  readonly body: unknown;
}

/** A request for an operation. */
export interface DocumentRequest {
  readonly operation: Operation;
  /** The values of path parameters by name. */
  readonly path: Readonly<Record<string, string>>;
  /** Values for query parameters that are required. */
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: RequestBody | undefined;
}

/** The time limit of a response in ms. */
const RESPONSE_MS = 30_000;

/** Sends a request with valid credentials and all required parameters. */
export async function sendRequest(document: Document, origin: string, request: DocumentRequest): Promise<Reply> {
  const { operation, body } = request;
  const credentials = createCredentials(document, operation);
  const headers = { ...requiredValues(document, operation, 'header'), ...credentials.headers };
  const query = { ...requiredValues(document, operation, 'query'), ...request.query, ...credentials.query };
  // HTTP clients send no body with GET, whatever the document says.
  const encoded = body === undefined || ['GET', 'HEAD'].includes(operation.method) ? undefined : encodeBody(body);
  const response = await fetch(`${origin}${fillPath(operation.path, request.path)}${toQuery(query)}`, {
    method: operation.method,
    headers: { accept: acceptedTypes(document, operation), ...headers, ...encoded?.headers },
    redirect: 'manual',
    signal: AbortSignal.timeout(RESPONSE_MS),
    ...(encoded ? { body: encoded.body } : {}),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parse(text) };
}

/** Returns a path with the values of its parameters. */
export function fillPath(path: string, values: Readonly<Record<string, string>>): string {
  return path.replace(/\{([^{}]+)\}/g, (_, name) => encodeURIComponent(values[name] ?? 'unknown'));
}

/** Generates the value of a parameter: its example, else a value from its schema. */
export function generateParameter(document: Document, parameter: Node): string {
  const schema = document.resolve(parameter.schema);
  const [named] = Object.values((parameter.examples ?? {}) as Node).map((one) => document.resolve(one).value);
  const value =
    parameter.example ??
    named ??
    schema.default ??
    schema.example ??
    generateSample(contentSchema(parameter) ?? schema, { document, number: 1, optionalDepth: 0 });
  return isObject(value) ? JSON.stringify(value) : String(value);
}

function contentSchema({ content }: Node): unknown {
  return isObject(content) ? (Object.values(content)[0] as Node).schema : undefined;
}

function requiredValues(
  document: Document,
  { parameters }: Operation,
  place: string,
): Readonly<Record<string, string>> {
  const needed = parameters.filter((one) => one.in === place && one.required === true && !isIgnored(one));
  return Object.fromEntries(needed.map((one) => [String(one.name), generateParameter(document, one)]));
}

/** OpenAPI ignores parameters with these names. */
function isIgnored({ in: place, name }: Node): boolean {
  return place === 'header' && ['accept', 'content-type', 'authorization'].includes(String(name).toLowerCase());
}

function toQuery(query: Readonly<Record<string, string>>): string {
  const text = new URLSearchParams(query).toString();
  return text === '' ? '' : `?${text}`;
}

/** Returns the JSON media types of an operation's success responses, else anything. */
function acceptedTypes(document: Document, { node }: Operation): string {
  const responses = Object.entries((node.responses ?? {}) as Node).filter(([status]) => status.startsWith('2'));
  const types = responses.flatMap(([, one]) => Object.keys((document.resolve(one).content ?? {}) as Node));
  return [...types.filter(isJson), '*/*;q=0.5'].join(', ');
}

function encodeBody({ mediaType, value }: RequestBody): { body: string | FormData; headers: Record<string, string> } {
  if (mediaType.startsWith('multipart/')) return { body: toFormData(value), headers: {} };
  const isForm = mediaType.startsWith('application/x-www-form-urlencoded');
  const form = () => new URLSearchParams(toPairs(value as Node)).toString();
  const body = isJson(mediaType) ? JSON.stringify(value) : isForm ? form() : String(value);
  return { body, headers: { 'content-type': mediaType } };
}

function toPairs(value: Node): [string, string][] {
  return Object.entries(value).flatMap(([name, one]) =>
    (Array.isArray(one) ? one : [one]).map((part): [string, string] => [name, toText(part)]),
  );
}

function toFormData(value: unknown): FormData {
  const form = new FormData();
  // The schema of some forms is the file.
  if (!isObject(value)) form.append('file', new Blob([String(value)]), 'file.txt');
  else for (const [name, text] of toPairs(value)) form.append(name, text);
  return form;
}

function toText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
