import type { Sandbox } from '../sandbox/sandbox.ts';
import { toIsoTime } from '../util/iso-time.ts';
import { describeIssues, type Issue } from '../util/issue.ts';
import { limitList } from '../util/limit-list.ts';
import { HttpProblemError, type ProblemCode, toViolations, type Violation } from '../util/problem.ts';
import type { ControlParts } from './handler.ts';

/** Returns a sandbox. Throws a `HttpProblemError` if the sandbox does not exist. */
export function getSandbox(id: string, { sandboxes }: ControlParts): Sandbox {
  const sandbox = sandboxes.find(id);
  if (sandbox) return sandbox;
  const existing = formatNames(sandboxes.list().map((one) => one.id));
  const remedy = `Create it with PUT /_control/sandboxes/${id}, or use one of ${existing}`;
  const expiredMs = sandboxes.expiredAtMs(id);
  const expiry = expiredMs === undefined ? '' : `; it expired at ${toIsoTime(expiredMs)}`;
  throw new HttpProblemError({ code: 'unknown-sandbox', detail: `Sandbox ${id} does not exist${expiry}. ${remedy}.` });
}

/** The maximum number of names in an error message. */
const MAX_NAMES = 20;

/**
 * Joins names with commas for an error message.
 * If there are more than 20 names, the text ends with the number of omitted names.
 */
export function formatNames(names: readonly string[]): string {
  return limitList(names, MAX_NAMES).join(', ');
}

/** Throws an `HttpProblemError` whose message describes the issues. Does nothing if `issues` is empty. */
export function rejectIssues(code: ProblemCode, issues: readonly Issue[], part?: Violation['in']): void {
  if (issues.length > 0)
    throw new HttpProblemError({ code, detail: describeIssues(issues, part), violations: toViolations(issues, part) });
}
