import type { FaultDefinition } from '../../control/operation.ts';
import { createErrorResponse, createStatusProblem } from '../../mock/status-problem.ts';
import { findImageFaultIssue, replaceBodyAndHeaders } from '../../mock/validate-fault.ts';
import type { Contract } from '../../openapi/contract.ts';
import type { FaultEffect, ForcedResponse } from '../../sandbox/faults/combine-faults.ts';
import { getPathname, parseQuery } from '../../util/request-target.ts';
import type { AppParts } from '../parts.ts';
import { toUriReference } from '../problem.ts';
import { delayResponse, summarizeFaults } from './faults.ts';
import { completeMockResponse } from './handle.ts';
import type { HttpRequest } from './request.ts';
import {
  type Exchange,
  type Location,
  NO_RESPONSE,
  RESET_RETRY,
  type ResponseData,
  type Scope,
  type ScopedRequest,
} from './values.ts';

/** The methods of requests for images. */
const METHODS = ['GET', 'HEAD'];

/** The draft of the response to a request for an image, and whether the next middleware sends the image. */
type ImageOutcome = Pick<Exchange, 'draft' | 'callsNext'>;

/** Applies the faults of the sandbox to a request for an image. */
export async function respondToImage(
  { retries, stopping }: AppParts,
  { request, target, scope }: ScopedRequest,
): Promise<ImageOutcome> {
  if (!METHODS.includes(request.method)) return SEND_IMAGE;
  if (retries.detectRetry(request)) return { draft: RESET_RETRY, callsNext: false };
  const effect = applyImageFaults(scope, request, target.location);
  if (!effect) return SEND_IMAGE;
  const delayMs = effect.delayMs.before + effect.delayMs.after;
  const draft = { ...NO_RESPONSE, isRecorded: true, forced: summarizeFaults(effect, delayMs) };
  if (!(await delayResponse(request, delayMs, stopping))) return { draft, callsNext: false };
  const { response: injected, connection } = effect;
  if (connection) return { draft: { ...draft, transport: { connection } }, callsNext: false };
  if (injected?.status === undefined) return { draft, callsNext: true };
  const response = createFaultResponse(target.api.contract, target.location, injected.status, injected);
  return { draft: { ...draft, response }, callsNext: false };
}

const SEND_IMAGE: ImageOutcome = { draft: NO_RESPONSE, callsNext: true };

function applyImageFaults(
  { sandbox }: Scope,
  { method, headers }: HttpRequest,
  location: Location,
): FaultEffect | undefined {
  if (!sandbox.faults.isActive) return undefined;
  const path = getPathname(location.target);
  const query = parseQuery(location.querystring);
  const matchable = { operationId: undefined, method, path, query, headers, body: undefined };
  return sandbox.faults.apply(matchable, { hasPreference: false, canApply: appliesToImages });
}

/** Returns whether a fault applies to images: it matches a path, has no operation, and has an effect that is possible for images. */
function appliesToImages(fault: FaultDefinition): boolean {
  return fault.operation === undefined && fault.where?.path !== undefined && findImageFaultIssue(fault) === undefined;
}

function createFaultResponse(
  contract: Contract,
  location: Location,
  status: number,
  fault: ForcedResponse,
): ResponseData {
  const instance = toUriReference(location.prefix + location.pathname);
  const body = { ...createStatusProblem(status), instance };
  const problem = { ...createErrorResponse(contract, METHODS, status), body };
  const response = replaceBodyAndHeaders({ responses: [] }, problem, fault);
  return completeMockResponse(location, { ...response, exposedHeaders: Object.keys(fault.headers ?? {}) });
}
