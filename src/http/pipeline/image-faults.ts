import type { FaultDefinition } from '../../control/operation.ts';
import { createErrorResponse, createStatusProblem } from '../../mock/status-problem.ts';
import { findImageFaultIssue } from '../../mock/unmatchable-faults.ts';
import { replaceBodyAndHeaders } from '../../mock/validate-fault.ts';
import type { Contract } from '../../openapi/contract.ts';
import type { FaultEffect, ForcedResponse } from '../../sandbox/faults/combine-faults.ts';
import { getPathname, parseQuery } from '../../util/request-target.ts';
import type { PipelineParts } from '../parts.ts';
import { uriReference } from '../problem.ts';
import { completeMockResponse } from './complete.ts';
import { delayResponse, summarizeFaults } from './faults.ts';
import type { HttpRequest } from './request.ts';
import type { ResponseData } from './response.ts';
import { type Exchange, type Location, NO_RESPONSE, RESET_AGAIN, type Scope, type ScopedRequest } from './values.ts';

/** The methods of images. */
const METHODS = ['GET', 'HEAD'];

/** The effect of faults on a request for an image, and whether the image itself is sent. */
type ImageOutcome = Pick<Exchange, 'draft' | 'isPassed'>;

/** Applies the faults of the sandbox to a request for an image, before any folder is looked at. */
export async function respondToImage(
  { apis, resends, stopping }: PipelineParts,
  { request, target, scope }: ScopedRequest,
): Promise<ImageOutcome> {
  if (!METHODS.includes(request.method)) return PASSED;
  if (resends.take(request)) return { draft: RESET_AGAIN, isPassed: false };
  const effect = meetFaults(scope, request, target.location);
  if (!effect) return PASSED;
  const delayMs = effect.delayMs.before + effect.delayMs.after;
  const draft = { ...NO_RESPONSE, isRecorded: true, forced: summarizeFaults(effect, delayMs) };
  if (!(await delayResponse(request, delayMs, stopping))) return { draft, isPassed: false };
  const { response: injected, connection } = effect;
  if (connection) return { draft: { ...draft, transport: { connection } }, isPassed: false };
  if (injected?.status === undefined) return { draft, isPassed: true };
  const response = createFaultResponse(apis.contract.contract, target.location, injected.status, injected);
  return { draft: { ...draft, response }, isPassed: false };
}

const PASSED: ImageOutcome = { draft: NO_RESPONSE, isPassed: true };

function meetFaults({ sandbox }: Scope, { method, headers }: HttpRequest, location: Location): FaultEffect | undefined {
  if (!sandbox.faults.isActive) return undefined;
  const path = getPathname(location.target);
  const query = parseQuery(location.querystring);
  const matchable = { operationId: undefined, method, path, query, headers, body: undefined };
  return sandbox.faults.apply(matchable, { hasPreference: false, canApply: appliesToImages });
}

/** Whether a fault applies to images: it has a path, no operation, and an effect that images can have. */
function appliesToImages(fault: FaultDefinition): boolean {
  return fault.operation === undefined && fault.where?.path !== undefined && findImageFaultIssue(fault) === undefined;
}

function createFaultResponse(
  contract: Contract,
  location: Location,
  status: number,
  fault: ForcedResponse,
): ResponseData {
  const instance = uriReference(location.prefix + location.pathname);
  const body = { ...createStatusProblem(status), instance };
  const problem = { ...createErrorResponse(contract, METHODS, status), body };
  const response = replaceBodyAndHeaders({ responses: [] }, problem, fault);
  return completeMockResponse(location, { ...response, exposedHeaders: Object.keys(fault.headers ?? {}) });
}
