import type { FaultDefinition } from '../../control/operation.ts';
import { createErrorResponse, createStatusProblem } from '../../mock/status-problem.ts';
import { findImageFaultIssue } from '../../mock/unmatchable-faults.ts';
import { replaceBodyAndHeaders } from '../../mock/validate-fault.ts';
import type { FaultEffect, ForcedResponse } from '../../sandbox/faults/combine-faults.ts';
import { getPathname, parseQuery } from '../../util/request-target.ts';
import { READ_METHODS } from '../files.ts';
import type { AppParts } from '../parts.ts';
import { toUriReference } from '../problem.ts';
import { delayResponse, summarizeFaults } from './faults.ts';
import { completeMockResponse } from './handle.ts';
import {
  type Exchange,
  NO_RESPONSE,
  RESET_RETRY,
  type ResponseData,
  type SandboxRequest,
  type Target,
} from './values.ts';

/** The outcome of a request for an image, and whether a later middleware sends the image. */
type ImageResult = Pick<Exchange, 'outcome' | 'callsNext'>;

/** Applies the faults of the sandbox to a request for an image. If no fault changes the response, a later middleware sends the image. */
export async function respondToImage(
  { retries, stopping }: AppParts,
  sandboxRequest: SandboxRequest,
): Promise<ImageResult> {
  const { request, target } = sandboxRequest;
  if (!READ_METHODS.includes(request.method)) return SEND_IMAGE;
  if (retries.detectRetry(request)) return { outcome: RESET_RETRY, callsNext: false };
  const effect = applyImageFaults(sandboxRequest);
  if (!effect) return SEND_IMAGE;
  const delayMs = effect.delayMs.before + effect.delayMs.after;
  const outcome = { ...NO_RESPONSE, isRecorded: true, effects: summarizeFaults(effect, delayMs) };
  if (!(await delayResponse(request, delayMs, stopping))) return { outcome, callsNext: false };
  const { response: injected, connection } = effect;
  if (connection) return { outcome: { ...outcome, transport: { connection } }, callsNext: false };
  if (injected?.status === undefined) return { outcome, callsNext: true };
  const response = createFaultResponse(target, injected.status, injected);
  return { outcome: { ...outcome, response }, callsNext: false };
}

const SEND_IMAGE: ImageResult = { outcome: NO_RESPONSE, callsNext: true };

function applyImageFaults({ request, target, selection }: SandboxRequest): FaultEffect | undefined {
  const { faults } = selection.sandbox;
  if (!faults.isActive) return undefined;
  const { method, headers } = request;
  const path = getPathname(target.location.target);
  const query = parseQuery(target.location.querystring);
  const matchable = { operationId: undefined, method, path, query, headers, body: undefined };
  return faults.apply(matchable, { hasPreference: false, canApply: appliesToImages });
}

/** Returns whether a fault applies to images. Such a fault matches a path, names no operation, and has an effect that is possible for images. */
function appliesToImages(fault: FaultDefinition): boolean {
  return fault.operation === undefined && fault.where?.path !== undefined && findImageFaultIssue(fault) === undefined;
}

function createFaultResponse({ api, location }: Target, status: number, fault: ForcedResponse): ResponseData {
  const instance = toUriReference(location.prefix + location.pathname);
  const body = { ...createStatusProblem(status), instance };
  const problem = { ...createErrorResponse(api.contract, READ_METHODS, status), body };
  const response = replaceBodyAndHeaders({ responses: [] }, problem, fault);
  return completeMockResponse(location, { ...response, exposedHeaders: Object.keys(fault.headers ?? {}) });
}
