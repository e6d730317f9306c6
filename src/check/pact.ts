import { isJsonType } from '../openapi/media-types.ts';
import { UserError } from '../util/issue.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { joinValues, type RecordedExchange } from './recorded.ts';
import { readBody } from './response-body.ts';

/** A request or a response of a pact. A body of version 4 is an object with its `content`. */
interface PactMessage {
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | null;
  readonly body?: unknown;
}

/** A state of the server that an interaction needs. */
export interface ProviderState {
  readonly name: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** An interaction of a pact, as a request with its expected response. */
export interface PactInteraction {
  readonly description: string;
  readonly states: readonly ProviderState[];
  readonly exchange: RecordedExchange;
  /** The rules that the response must match, as the pact has them. */
  readonly matchingRules: unknown;
  /** Whether the body of the response must be absent: the pact has the body `null`. */
  readonly expectsNoBody: boolean;
}

/** The properties of an interaction that the check reads (Pact Specification, versions 1 to 4). */
interface Interaction {
  readonly type?: string;
  readonly description?: string;
  /** The provider state of versions 1 and 2. */
  readonly providerState?: string | null;
  /** The provider states of versions 3 and 4. */
  readonly providerStates?: readonly ProviderState[] | null;
  readonly request?: PactMessage & {
    readonly method: string;
    readonly path: string;
    readonly query?: string | Readonly<Record<string, string | readonly string[]>> | null;
  };
  readonly response?: PactMessage & { readonly status: number; readonly matchingRules?: unknown };
}

/**
 * Reads the HTTP interactions of a pact.
 * Throws a `UserError` if the text is no pact.
 */
export function parsePact(path: string, text: string): readonly PactInteraction[] {
  const data = tryOrUndefined(() => JSON.parse(text.replace(/^\ufeff/, '')) as { readonly interactions?: unknown });
  const { interactions } = data ?? {};
  if (!Array.isArray(interactions)) throw new UserError(`${path} is not a pact: it has no list of interactions.`);
  return interactions.flatMap((interaction: Interaction | null, index) => {
    const { type = HTTP_INTERACTION, request, response } = interaction ?? {};
    if (type !== HTTP_INTERACTION) return [];
    if (typeof request?.method !== 'string' || typeof request.path !== 'string' || typeof response?.status !== 'number')
      throw new UserError(`Invalid pact ${path}: interactions.${index} has no method, path or status.`);
    // Only version 4 has a type of interactions, and wraps bodies.
    const { description = `interaction ${index + 1}`, providerState, providerStates } = interaction ?? {};
    const exchange = toExchange(request, response, interaction?.type !== undefined);
    const states = providerStates ?? (providerState ? [{ name: providerState }] : []);
    const { matchingRules = {}, body } = response;
    return [{ description, states, exchange, matchingRules, expectsNoBody: body === null }];
  });
}

/** The type of interactions with requests and responses. Others are messages. */
const HTTP_INTERACTION = 'Synchronous/HTTP';

function toExchange(
  request: NonNullable<Interaction['request']>,
  response: NonNullable<Interaction['response']>,
  isWrapped: boolean,
): RecordedExchange {
  const { method, path, query } = request;
  const search = typeof query === 'string' ? query : formatQuery(query);
  const sent = readPactBody(request, isWrapped);
  const received = readPactBody(response, isWrapped);
  return {
    origin: '',
    request: {
      method: method.toUpperCase(),
      target: search === '' ? path : `${path}?${search}`,
      headers: sent.headers,
      ...(sent.text === '' ? {} : { body: sent.text }),
    },
    response: {
      status: response.status,
      headers: received.headers,
      ...readBody(received.headers, Buffer.from(received.text)),
    },
    lacksRequestBody: false,
    lacksResponseBody: received.text === '',
    isPart: true,
  };
}

function formatQuery(query: NonNullable<Interaction['request']>['query']): string {
  const pairs = Object.entries(query ?? {}).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );
  return new URLSearchParams(pairs).toString();
}

/** Returns the headers and the text of a message of a pact. Without a content type, a body is JSON. */
function readPactBody({ headers, body }: PactMessage, isWrapped: boolean) {
  const own = joinValues(headers ?? {});
  const { content, contentType, encoded } = ((isWrapped ? body : { content: body }) ?? {}) as {
    readonly content?: unknown;
    readonly contentType?: string;
    readonly encoded?: unknown;
  };
  const type = own['content-type'] ?? contentType ?? 'application/json';
  const isText = typeof content === 'string' && !isJsonType(type);
  const plain = content === undefined || content === null ? '' : isText ? content : JSON.stringify(content);
  const isBase64 = typeof content === 'string' && (encoded === true || encoded === 'base64');
  const text = isBase64 ? Buffer.from(content, 'base64').toString() : plain;
  return { headers: text === '' ? own : { ...own, 'content-type': type }, text };
}
