import type { IncomingMessage } from 'node:http';
import type { ControlParts } from '../../control/handler.ts';
import { controlHandlers } from '../../control/handlers.ts';
import { getFollowedRequests } from '../../control/journal-handlers.ts';
import type { ControlId, ControlInput } from '../../control/operation.ts';
import type { Route } from '../../openapi/routes.ts';
import { DEFAULT_SANDBOX_ID } from '../../sandbox/sandbox.ts';
import { MAX_BODY_BYTES, MEGABYTE } from '../../util/limits.ts';
import { JSON_TYPE } from '../../util/request-target.ts';
import { CONTROL_DOCUMENT_PATHS } from '../access-policy.ts';
import type { ServedContract, ServerParts } from '../parts.ts';
import type { BodyOptions } from '../pipeline/body.ts';
import { createTypeProblem } from '../pipeline/body-problems.ts';
import type { HandlerResult } from '../pipeline/outcome.ts';
import type { HttpRequest } from '../pipeline/request.ts';
import { createResponse } from '../pipeline/response.ts';
import type { Api, OperationCall } from '../pipeline/values.ts';
import { HttpProblemError } from '../problem.ts';
import { NO_HEADERS } from '../response-headers.ts';
import { createConcurrencyLimit } from './concurrency-limit.ts';
import { acceptsEventStream, getLastEventId, streamJournal } from './journal-stream.ts';
import { LargeBodies } from './large-bodies.ts';

/** The maximum size of a request body with a state, in bytes. Parsing 16 MB takes about 100 ms. The server handles no other request in this time. */
const MAX_STATE_BYTES = 16 * MEGABYTE;
const STATE_OPTIONS: BodyOptions = { limit: MAX_STATE_BYTES, returnRawBody: true };

/** The operations whose request bodies can be as large as a state. */
const STATE_OPERATIONS: readonly string[] = ['putState', 'patchState'] satisfies readonly ControlId[];

/** The maximum number of requests with large bodies that are handled at the same time. Each request needs about 100 MB of memory. */
const MAX_HANDLED = 2;

/**
 * Creates the control API, the HTTP API at `/_control`. Preferences and injected faults do not apply to requests for this API. The journal does not record
 * these requests.
 */
export function createControlApi({ control, controlContract }: ServerParts & ServedContract): Api {
  const largeBodies = new LargeBodies();
  const limitHandled = createConcurrencyLimit(MAX_HANDLED);
  return {
    contract: controlContract,
    isContractApi: false,
    isClosed: () => true,
    describeUnknownPath(path) {
      const paths = new Set([...controlContract.routes.map((route) => route.path), CONTROL_DOCUMENT_PATHS.yaml]);
      return { code: 'unknown-path', detail: `the control API has no path ${path}: use ${[...paths].join(', ')}` };
    },
    async schedule(request, runSteps, route) {
      refuseForms(request);
      if (!takesState(route) || !isLarge(request)) return runSteps();
      let release = () => {};
      const receive = async (req: IncomingMessage) => {
        const received = await largeBodies.receive(req, MAX_STATE_BYTES);
        ({ release } = received);
        return received.text;
      };
      await request.body.receiveText(receive, STATE_OPTIONS);
      return limitHandled(runSteps).finally(() => release());
    },
    getBodyOptions: (route) => (takesState(route) ? STATE_OPTIONS : undefined),
    handle: (call) => handle(call, control),
  };
}

function takesState({ operationId }: Route): boolean {
  return STATE_OPERATIONS.includes(operationId);
}

/** Returns whether the body of a request is larger than the default limit. Returns true if the length is unknown (`Transfer-Encoding`). */
function isLarge({ headers }: HttpRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES;
}

/** The headers of a response in the text format of Prometheus. */
const METRICS_HEADERS = { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' };

/** A handler of any operation of the control API. The input is already validated. */
type Handle = (input: unknown, parts: ControlParts) => unknown;

async function handle({ request, route, input }: OperationCall, parts: ControlParts): Promise<HandlerResult> {
  const id = route.operationId as ControlId;
  if (id === 'listRequests' && acceptsEventStream(request)) {
    // Loads the requests that other servers have recorded, so that the stream sends only later requests.
    await parts.sandboxes.loadJournal(input.path.id ?? DEFAULT_SANDBOX_ID);
    const { journal, after, isMatch } = getFollowedRequests(input as ControlInput<typeof id>, parts);
    const options = { after: getLastEventId(request) ?? after, isMatch, stopping: parts.stopping };
    return { response: { ...createResponse(200, undefined), stream: streamJournal(journal, options) } };
  }
  const handler = controlHandlers[id] as Handle;
  const body = await handler(input, parts);
  const headers = id === 'getMetrics' ? METRICS_HEADERS : NO_HEADERS;
  const response = createResponse(route.successStatus, body, headers);
  // The entries of a journal can be large, so even a short list is converted to JSON in slices.
  const isInSlices = id === 'listRequests' && Array.isArray(body) && body.length > 0;
  return { response: isInSlices ? { ...response, list: body } : response };
}

/**
 * Throws an `HttpProblemError` if the body of a request is not JSON. This prevents CSRF attacks with forms, because browsers send forms to other sites without
 * a preflight request.
 */
function refuseForms({ method, headers, body }: HttpRequest): void {
  const contentType = headers['content-type'];
  if (!['PUT', 'POST', 'PATCH'].includes(method) || !body.isSent) return;
  if (/^application\/json\b/i.test(contentType ?? '')) return;
  throw new HttpProblemError(createTypeProblem(contentType, `JSON with Content-Type ${JSON_TYPE}`));
}
