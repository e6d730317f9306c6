import type { Route } from '../openapi/routes.ts';
import { UserError } from '../util/issue.ts';
import { suggestOneOf } from '../util/names.ts';
import { isHeader } from './header-syntax.ts';
import { RULES, type RuleName } from './rules.ts';

/** A failure that does not make the check fail. */
export interface ExpectedFailure {
  /** The violated rule. */
  readonly rule: RuleName;
  /** The name of the response in the report, such as `200` or `default`. Default: any. */
  readonly status?: string | number | undefined;
  /** Why the failure is accepted. */
  readonly reason: string;
}

/** Settings of `storefront check` for single operations. */
export interface OperationSettings {
  /** Why no requests are sent to the operation. */
  readonly skip?: string | undefined;
  /** Headers of all requests to the operation. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The values of parameters in valid requests, by name. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
  /** Properties of the bodies of valid requests. A value that is no object replaces the body. */
  readonly body?: unknown;
  /** Failures that do not make the check fail. */
  readonly expected?: readonly ExpectedFailure[] | undefined;
}

/** Settings by operationId, method, path, tag or `deprecated`, as in `--only`. */
export type SettingsBySelector = Readonly<Record<string, OperationSettings>>;

/** Returns the settings of an operation. */
export type GetSettings = (route: Route) => OperationSettings;

/** Returns no settings. */
export const NO_SETTINGS: GetSettings = () => ({});

/** Whether the value of a setting is valid, and what it must be. */
const SETTINGS: Readonly<Record<keyof OperationSettings, readonly [(value: unknown) => boolean, string]>> = {
  skip: [isText, 'must be a string: the reason'],
  headers: [
    (value) => isRecord(value) && Object.entries(value).every(([name, one]) => isHeader(name, one)),
    'must be an object with headers, such as { "X-Tenant": "a" }',
  ],
  parameters: [isRecord, 'must be an object with values by the names of parameters'],
  body: [() => true, ''],
  expected: [Array.isArray, 'must be a list such as [{ "rule": "response-schema", "reason": "…" }]'],
};

/**
 * Validates the types of settings.
 * `name`: where the settings are, such as `check.operations`.
 * Throws a `UserError` if one is invalid.
 */
export function validateSettings(name: string, settings: unknown): asserts settings is SettingsBySelector {
  if (!isRecord(settings))
    throw new UserError(`${name} must be an object with settings by operationId, such as { getTask: { skip: "…" } }.`);
  for (const [selector, own] of Object.entries(settings)) {
    const place = `${name}[${JSON.stringify(selector)}]`;
    if (!isRecord(own)) throw new UserError(`${place} must be an object such as { skip: "…" }.`);
    for (const [key, value] of Object.entries(own)) {
      if (!Object.hasOwn(SETTINGS, key))
        throw new UserError(
          `Unknown setting ${place}.${key}: ${suggestOneOf(key, Object.keys(SETTINGS), 'settings')}.`,
        );
      const [isValid, problem] = SETTINGS[key as keyof OperationSettings];
      if (value !== undefined && !isValid(value)) throw new UserError(`${place}.${key} ${problem}.`);
    }
    for (const [index, expected] of ((own.expected as readonly unknown[] | undefined) ?? []).entries())
      validateExpected(`${place}.expected[${index}]`, expected);
  }
}

function validateExpected(place: string, expected: unknown): void {
  const { rule, status = '', reason, ...rest } = isRecord(expected) ? expected : {};
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw new UserError(`Unknown setting ${place}.${unknown}: use rule, status and reason.`);
  if (typeof rule !== 'string' || !Object.hasOwn(RULES, rule))
    throw new UserError(`${place}.rule must be a rule: ${suggestOneOf(String(rule), Object.keys(RULES), 'rules')}.`);
  if (typeof status !== 'string' && typeof status !== 'number')
    throw new UserError(`${place}.status must be a status such as 200.`);
  if (!isText(reason)) throw new UserError(`${place}.reason must be a string: why the failure is accepted.`);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
