import { getTarget, toNode } from '../openapi/document.ts';
import type { OutgoingRequest } from '../openapi/outgoing-requests.ts';
import type { Parameter } from '../openapi/parameters.ts';
import { formatHeader, HEADER_NAME, isServerHeader } from '../util/headers.ts';
import { toSeed } from '../util/random.ts';
import { listValues, type PayloadFacts, type PayloadSource } from './payload.ts';

/** Headers that say how a message is sent, which a document must not set. */
const MESSAGE_HEADERS = new Set(['host', 'expect', 'user-agent', 'x-sandbox', 'cookie']);

/** The URL of a delivery with the documented query parameters, and the documented headers. */
interface SentParameters {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Returns the header and query parameters of a webhook or a callback.
 * A parameter has the value that its name says, such as the name of the webhook for `X-Event-Type`, else that of its
 * example, its default or its schema.
 * An optional parameter without such a value is left out.
 * The query of the URL takes precedence.
 */
export function createParameters(
  source: PayloadSource,
  { name, route: { parameters } }: OutgoingRequest,
  target: string,
  facts: PayloadFacts,
): SentParameters {
  const url = new URL(target);
  const headers: Record<string, string> = {};
  for (const parameter of parameters) {
    const value = createValue(source, parameter, { ...facts, name });
    if (value === undefined || value === null) continue;
    const { in: location, name: key, shape } = parameter;
    if (location === 'query' && !url.searchParams.has(key))
      for (const one of [value].flat()) url.searchParams.append(key, formatHeader(one, 'json'));
    if (location === 'header' && isSendable(key))
      headers[key] = formatHeader(value, shape === 'json' ? 'json' : 'list');
  }
  return { url: url.search === new URL(target).search ? target : url.href, headers };
}

function isSendable(name: string): boolean {
  const lower = name.toLowerCase();
  return (
    HEADER_NAME.test(name) && !isServerHeader(name) && !lower.startsWith('webhook-') && !MESSAGE_HEADERS.has(lower)
  );
}

function createValue(
  { contract, mock }: PayloadSource,
  { name, schema, examples, isRequired }: Parameter,
  facts: PayloadFacts & { readonly name: string },
): unknown {
  const words = name.replace(/^x-/i, '').split(/[-_]/);
  const isUsable = (value: unknown) => value !== undefined && contract.isValid(schema, value);
  const find = (label: string) => listValues(label, { ...facts, isEnvelope: true }).find(isUsable);
  const documented = toNode(getTarget(contract.normalized, schema));
  const values = [find(words.join('')), examples[0]?.value, documented.default, documented.const];
  const known = values.find((value) => value !== undefined);
  if (known !== undefined || !isRequired) return known;
  // `X-GitHub-Event` and `X-Acme-Delivery-Id`.
  const ends = words.map((_, index) => find(words.slice(index).join('')));
  return ends.find((value) => value !== undefined) ?? mock.generateField(schema, toSeed(name));
}
