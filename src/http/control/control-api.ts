import type { ControlParts } from '../../control/handler.ts';
import { controlFollowed, controlHandlers } from '../../control/handlers.ts';
import type { FollowedRequests } from '../../control/journal-handlers.ts';
import type { ControlId } from '../../control/operation.ts';
import type { Route } from '../../openapi/routes.ts';
import { MAX_BODY_BYTES, MEGABYTE } from '../../util/limits.ts';
import { CONTROL_DOCUMENT_PATH } from '../access-policy.ts';
import type { AppParts } from '../parts.ts';
import { type BodyOptions, createTypeProblem, type HttpRequest } from '../pipeline/request.ts';
import { createResponse, JSON_TYPE } from '../pipeline/response.ts';
import type { Api, Handled, OperationCall } from '../pipeline/values.ts';
import { HttpProblemError } from '../problem.ts';
import { createConcurrencyLimit } from './concurrency-limit.ts';
import { acceptsEventStream, getLastEventId, streamJournal } from './journal-stream.ts';

/** The largest state that is received, in bytes: parsing 16 MB takes about 100 ms, in which nothing else is handled. */
const MAX_STATE_BYTES = 16 * MEGABYTE;
const STATE_OPTIONS: BodyOptions = { limit: MAX_STATE_BYTES, returnRawBody: true };

/** The number of large bodies that are received at once: together they take up to 256 MB. A slow client holds one place for up to 30 s. */
const MAX_RECEIVED = 16;

/** The number of requests with large bodies that are handled at once, once they are received: each takes some 100 MB meanwhile. */
const MAX_HANDLED = 2;

/** Returns the control API: its operations have no preferences, no faults and no journal. */
export function createControlApi({ control, controlContract }: AppParts): Api {
  const limitReceived = createConcurrencyLimit(MAX_RECEIVED);
  const limitHandled = createConcurrencyLimit(MAX_HANDLED);
  return {
    contract: controlContract,
    isSimulated: false,
    isClosed: () => true,
    describeUnknownPath(path) {
      const paths = new Set([...controlContract.routes.map((route) => route.path), CONTROL_DOCUMENT_PATH]);
      return { code: 'unknown-path', detail: `the control API has no path ${path}: use ${[...paths].join(', ')}` };
    },
    async schedule(request, steps, route) {
      refuseForms(request);
      if (!takesState(route) || !isLarge(request)) return steps();
      await limitReceived(() => receiveText(request));
      return limitHandled(steps);
    },
    getBodyOptions: (route) => (takesState(route) ? STATE_OPTIONS : undefined),
    handle: (call) => handle(call, control),
  };
}

function takesState({ operationId }: Route): boolean {
  return operationId === ('putState' satisfies ControlId);
}

/** Whether a request has, or may have, a larger body than most. */
function isLarge({ headers }: HttpRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES;
}

/** Receives the text of a large body, unless the client has gone while the request waited. */
async function receiveText({ body, client }: HttpRequest): Promise<void> {
  if (!client.isGone) await body.receiveText(STATE_OPTIONS);
}

/** A handler of any operation: the input is valid. */
type Handle<Result> = (input: unknown, parts: ControlParts) => Result;

async function handle({ request, route, input }: OperationCall, parts: ControlParts): Promise<Handled> {
  const id = route.operationId as ControlId;
  const follow = controlFollowed[id] as Handle<FollowedRequests> | undefined;
  if (follow && acceptsEventStream(request))
    return { response: toStream(request, follow(input, parts), parts), revision: undefined };
  const handler = controlHandlers[id] as Handle<unknown>;
  const body = await handler(input, parts);
  return { response: createResponse({ status: route.successStatus, body }), revision: undefined };
}

/** Returns a response that streams the journal. */
function toStream(request: HttpRequest, { journal, after, isMatch }: FollowedRequests, { stopping }: ControlParts) {
  const options = { after: getLastEventId(request) ?? after, isMatch, stopping };
  return { ...createResponse({ status: 200 }), stream: streamJournal(journal, options) };
}

/** Refuses a body that is not JSON: a page of any site can send a form, but not JSON. A request without a body is only checked for its `Origin`. */
function refuseForms({ method, headers, body }: HttpRequest): void {
  const contentType = headers['content-type'];
  if (!['PUT', 'POST'].includes(method) || !body.isSent) return;
  if (/^application\/json\b/i.test(contentType ?? '')) return;
  throw new HttpProblemError(createTypeProblem(contentType, `JSON with Content-Type ${JSON_TYPE}`));
}
