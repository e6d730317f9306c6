import type { Document, Node, Operation } from './document.ts';
import type { Reply } from './request.ts';
import { isJson } from './request-body.ts';
import type { Validate } from './validator.ts';

/** The validation of a response by its documented status, media type, headers and schema. */
export interface ResponseValidation {
  /** Whether the document has a response for the status. */
  readonly isDocumented: boolean;
  readonly issues: readonly string[];
}

/** Validates a response. A status that is not documented is an issue only if it is a success. */
export function validateResponse(
  document: Document,
  validate: Validate,
  { node, method }: Operation,
  reply: Reply,
): ResponseValidation {
  const { status } = reply;
  const responses = (node.responses ?? {}) as Node;
  const found = responses[status] ?? responses[`${Math.floor(status / 100)}XX`] ?? responses.default;
  if (found === undefined)
    return { isDocumented: false, issues: status < 400 ? [`status ${status} is not documented`] : [] };
  const { content = {}, headers = {} } = document.resolve(found);
  return {
    isDocumented: true,
    issues: [
      ...(hasNoBody(method, status) || isOpen(method, content as Node)
        ? []
        : bodyIssues(content as Node, reply, validate)),
      ...headerIssues(document, headers as Node, reply),
    ],
  };
}

/** HTTP allows no body here, whatever the document says. */
function hasNoBody(method: string, status: number): boolean {
  return method === 'HEAD' || status === 204 || status === 304;
}

/** Returns whether a GET can have any body, because the document describes none. */
function isOpen(method: string, content: Node): boolean {
  return method.toUpperCase() === 'GET' && Object.keys(content).length === 0;
}

function bodyIssues(content: Node, { headers, text, body, status }: Reply, validate: Validate): readonly string[] {
  const types = Object.keys(content);
  if (types.length === 0) return text === '' || status >= 400 ? [] : [`there is a body: ${text.slice(0, 100)}`];
  const sent = bareType(headers.get('content-type') ?? '');
  if (text === '' && sent === '') return ['the body is missing'];
  const type = types.find((one) => bareType(one) === sent) ?? types.find((one) => isRange(one, sent));
  if (type === undefined) return [`content type ${sent} is not documented: ${types.join(', ')}`];
  const { schema } = content[type] as Node;
  if (schema === undefined || !isJson(sent)) return [];
  return body === undefined ? [`the body is no JSON: ${text.slice(0, 100)}`] : validate(schema, body, 'response');
}

function bareType(type: string): string {
  return type.replace(/;.*$/, '').trim().toLowerCase();
}

function isRange(range: string, type: string): boolean {
  const bare = bareType(range);
  return bare === '*/*' || (bare.endsWith('/*') && type.startsWith(bare.slice(0, -1)));
}

function headerIssues(document: Document, headers: Node, reply: Reply): readonly string[] {
  return Object.entries(headers)
    .filter(([name, header]) => document.resolve(header).required === true && !reply.headers.has(name))
    .map(([name]) => `header ${name} is missing`);
}
