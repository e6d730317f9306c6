import type { Sandbox } from '../sandbox/sandbox.ts';
import { toIsoTime } from '../util/iso-time.ts';
import type { Issue } from '../util/issue.ts';
import { parsePointer } from '../util/json-pointer.ts';
import { limitList } from '../util/limit-list.ts';
import type { ControlParts } from './handler.ts';

/** The part of a request that contains an invalid value. */
type RequestPart = 'body' | 'query' | 'path';

/** The codes of the problems (error responses) that handlers of the control API report. */
export type ControlCode =
  | 'unknown-sandbox'
  | 'unknown-snapshot'
  | 'unknown-fault'
  | 'unknown-operation'
  | 'contract-conflict'
  | 'invalid-fault'
  | 'invalid-matcher'
  | 'default-sandbox'
  | 'invalid-state'
  | 'state-too-large'
  | 'built-in-snapshot'
  | 'limit-reached'
  | 'unknown-collection'
  | 'no-search'
  | 'no-handler'
  | 'invalid-patch'
  | 'patch-conflict'
  | 'unknown-journal-entry';

/** The error for a request that satisfies the contract of the control API but cannot be handled. The message says how to fix the request. */
export class ControlProblemError extends Error {
  override readonly name = 'ControlProblemError';

  /** `detail`: the error message. `issues`: the invalid values in the request. `part`: the part of the request that contains these values. */
  constructor(
    readonly code: ControlCode,
    detail: string,
    readonly issues: readonly Issue[] = [],
    readonly part: RequestPart = 'body',
  ) {
    super(detail);
  }
}

/** Returns a sandbox. Throws a `ControlProblemError` if the sandbox does not exist. */
export function getSandbox(id: string, { sandboxes }: ControlParts): Sandbox {
  const sandbox = sandboxes.find(id);
  if (sandbox) return sandbox;
  const existing = formatNames(sandboxes.list().map((one) => one.id));
  const remedy = `Create it with PUT /_control/sandboxes/${id}, or use one of ${existing}`;
  const expiredMs = sandboxes.expiredAtMs(id);
  const expiry = expiredMs === undefined ? '' : `; it expired at ${toIsoTime(expiredMs)}`;
  throw new ControlProblemError('unknown-sandbox', `Sandbox ${id} does not exist${expiry}. ${remedy}.`);
}

/** The maximum number of names in an error message. */
const MAX_NAMES = 20;

/** Joins names with commas for an error message. If there are more than 20 names, the text ends with the number of omitted names. */
export function formatNames(names: readonly string[]): string {
  return limitList(names, MAX_NAMES).join(', ');
}

/** Creates an error whose message describes validation issues. */
export function createIssuesError(code: ControlCode, issues: readonly Issue[], part?: RequestPart) {
  return new ControlProblemError(code, describeIssues(issues, part), issues, part);
}

/** Throws a `ControlProblemError` whose message describes the issues. Does nothing if `issues` is empty. */
export function rejectIssues(code: ControlCode, issues: readonly Issue[], part?: RequestPart): void {
  if (issues.length > 0) throw createIssuesError(code, issues, part);
}

/** The maximum number of issues in an error message. */
const MAX_ISSUES = 5;

/** Describes validation issues in one sentence. The sentence contains the path of each invalid value, such as `users.0.name`. */
export function describeIssues(issues: readonly Issue[], part?: RequestPart): string {
  const prefix = part === 'query' ? 'query parameter ' : '';
  const describe = ({ pointer, message }: Issue) =>
    `${prefix}${parsePointer(pointer).join('.') || 'the body'} ${message}`;
  return limitList(issues, MAX_ISSUES, describe).join('; ');
}
