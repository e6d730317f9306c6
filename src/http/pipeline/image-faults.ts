import type { FaultDefinition } from '../../control/operation.ts';
import { findImageFaultIssue } from '../../mock/fault-warnings.ts';
import { createErrorResponse, createStatusProblem } from '../../mock/status-problem.ts';
import { replaceBodyAndHeaders } from '../../mock/validate-fault.ts';
import type { FaultEffect, ForcedResponse } from '../../sandbox/faults/combine-faults.ts';
import { getPathname, parseQuery } from '../../util/request-target.ts';
import { READ_METHODS } from '../files.ts';
import type { AppParts } from '../parts.ts';
import { toUriReference } from '../problem.ts';
import { delayResponse, summarizeFaults } from './faults.ts';
import { completeMockResponse } from './handle.ts';
import type { ResponseData } from './outcome.ts';
import { type Decision, NO_RESPONSE, RESET_RETRY } from './outcome.ts';
import type { Exchange, SandboxRequest, Target } from './values.ts';

/** The outcome of a request for an image. `callsNext`: whether a later Koa middleware sends the image. */
type ImageResult = Pick<Exchange, 'outcome' | 'callsNext'>;

/** Applies the injected faults of the sandbox to a request for an image. If no fault replaces the image, a later Koa middleware sends it. */
export async function respondToImage(
  { retries, stopping }: AppParts,
  sandboxRequest: SandboxRequest,
): Promise<ImageResult> {
  const { request, target } = sandboxRequest;
  if (!READ_METHODS.includes(request.method)) return SEND_IMAGE;
  if (retries.detectRetry(request)) return { outcome: RESET_RETRY, callsNext: false };
  const effect = await applyImageFaults(sandboxRequest);
  if (!effect) return SEND_IMAGE;
  const delayMs = effect.delayMs.before + effect.delayMs.after;
  const { response: injected, connection } = effect;
  // The journal names a fault as the origin of a response only if the fault replaces the image or closes the connection.
  const isDecided = connection !== undefined || injected !== undefined;
  const decision: Decision | undefined = isDecided ? { source: 'fault', faults: [...effect.faults] } : undefined;
  const outcome = { ...NO_RESPONSE, isRecorded: true, effects: summarizeFaults(effect, delayMs), decision };
  if (!(await delayResponse(request, delayMs, stopping))) return { outcome, callsNext: false };
  if (connection) return { outcome: { ...outcome, transport: { connection } }, callsNext: false };
  if (injected?.status === undefined) return { outcome, callsNext: true };
  const response = createFaultResponse(target, injected.status, injected);
  return { outcome: { ...outcome, response }, callsNext: false };
}

const SEND_IMAGE: ImageResult = { outcome: NO_RESPONSE, callsNext: true };

async function applyImageFaults({ request, target, selection }: SandboxRequest): Promise<FaultEffect | undefined> {
  const { faults, change } = selection.sandbox;
  if (!faults.isActive) return undefined;
  const { method, headers } = request;
  const path = getPathname(target.location.target);
  const query = parseQuery(target.location.querystring);
  const matchable = { operationId: undefined, method, path, query, headers, body: undefined };
  return change(() => faults.apply(matchable, { hasPreference: false, canApply: appliesToImages }));
}

/** Returns whether a fault can apply to images. Such a fault has a matcher for the path, names no operation, and has an effect that is possible for images. */
function appliesToImages(fault: FaultDefinition): boolean {
  return fault.operation === undefined && fault.where?.path !== undefined && findImageFaultIssue(fault) === undefined;
}

function createFaultResponse({ api, location }: Target, status: number, fault: ForcedResponse): ResponseData {
  const instance = toUriReference(location.prefix + location.pathname);
  const body = { ...createStatusProblem(status), instance };
  const problem = { ...createErrorResponse(api.contract, READ_METHODS, status), body };
  return completeMockResponse(location, replaceBodyAndHeaders({ responses: [] }, problem, fault));
}
