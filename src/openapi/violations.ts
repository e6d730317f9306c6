import type { ErrorObject } from 'ajv';
import { createIssue, type DataValidator, type Issue } from '../util/issue.ts';
import { parsePointer } from '../util/json-pointer.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import type { Violation } from '../util/problem.ts';
import {
  type CredentialNames,
  isSecretName,
  REDACTED,
  redactNamedProperties,
  redactSecrets,
} from '../util/redact-secrets.ts';
import { describeError, shorten } from './describe-error.ts';
import { getUnknownName, groupByPointer, type SchemaValidator } from './schema-validator.ts';

/** The violations of a request. `detail` is a text that describes the first five violations. */
export interface RequestViolations {
  readonly violations: readonly Violation[];
  readonly detail: string;
}

/** The parts of a request, by the names that openapi-backend uses for the parts. */
const PARTS: Readonly<Record<string, Violation['in']>> = {
  requestBody: 'body',
  path: 'path',
  query: 'query',
  cookie: 'cookie',
};

/**
 * Returns one violation for each invalid value.
 * The errors must come from an ajv instance with the options `verbose` and `allErrors`.
 * `names`: those of passwords.
 */
export function toViolations(errors: readonly ErrorObject[], names: CredentialNames): RequestViolations {
  const invalid = [...groupByPointer(errors)];
  // An object with thousands of unknown properties is in thousands of errors.
  const redact = memoizeByObject((data: object) => redactObject(data, names));
  const redactData = (data: unknown) => (typeof data === 'object' && data !== null ? redact(data) : data);
  const described = invalid
    .slice(0, MAX_VIOLATIONS)
    .map(([pointer, error]) => describeViolation(pointer, error, { names, redactData }));
  const clauses = described.slice(0, MAX_LISTED).map(({ clause }) => clause);
  const rest = invalid.length - clauses.length;
  const detail = (rest > 0 ? [...clauses, `and ${rest} more`] : clauses).join('; ');
  return { violations: described.map(({ violation }) => violation), detail };
}

/**
 * The maximum number of violations of a request.
 * Describing more would delay other requests: a body of 64 kB can have 20,000 invalid values.
 */
const MAX_VIOLATIONS = 1_000;

/** The maximum number of violations, or of unknown names, that a message lists. */
export const MAX_LISTED = 5;

/** The names of passwords, and a function that redacts a value for a message. */
interface Redaction {
  readonly names: CredentialNames;
  readonly redactData: (data: unknown) => unknown;
}

function describeViolation(pointer: string, error: ErrorObject, { names, redactData }: Redaction) {
  const end = pointer.indexOf('/', 1);
  const [part, rest] = end === -1 ? [pointer.slice(1), ''] : [pointer.slice(1, end), pointer.slice(end)];
  const sent = getInvalidValue(error);
  const isSecret = isSecretValue(part, rest, error) || isPasswordName(part, rest, names);
  const value = isSecret && sent !== undefined ? REDACTED : sent;
  const data = isSecret ? REDACTED : redactData(error.data);
  const { rule, problem, remedy } = describeError(data === error.data ? error : { ...error, data });
  const place = PARTS[part] ?? 'header';
  // There are two object literals, because V8 needs much longer to add a property to a copy.
  const violation: Violation =
    value === undefined
      ? { in: place, pointer: rest, rule, remedy }
      : { in: place, pointer: rest, rule, value: shorten(value), remedy };
  return { violation, clause: `${describeSubject(violation)} ${problem}: ${remedy}` };
}

/**
 * Returns whether an invalid value is secret.
 * Its message, which is also in the log and the journal, then does not have it.
 * `part`: the part of the request.
 * `pointer`: the place in this part.
 */
function isSecretValue(part: string, pointer: string, { parentSchema }: ErrorObject): boolean {
  const { format, writeOnly } = (parentSchema ?? {}) as { readonly format?: unknown; readonly writeOnly?: unknown };
  return part === 'cookie' || isSecretName(pointer) || format === 'password' || writeOnly === true;
}

/** Returns whether a value is a password, or a part of one. */
function isPasswordName(part: string, pointer: string, names: CredentialNames): boolean {
  const own = { query: names.query, header: names.headers, requestBody: names.properties }[part] ?? [];
  return own.length > 0 && parsePointer(pointer).some((name) => own.includes(name));
}

/** Returns a shortened object without the secrets in it. */
function redactObject(data: object, { properties }: CredentialNames): object | string {
  return redactSecrets(redactNamedProperties(shorten(data), properties)) as object | string;
}

function getInvalidValue(error: ErrorObject): unknown {
  const { keyword, data } = error;
  if (keyword === 'required' || keyword === 'dependentRequired') return undefined;
  const unknownName = getUnknownName(error);
  return unknownName === undefined ? data : (data as Record<string, unknown>)[unknownName];
}

/**
 * Returns the name of the invalid value for a message, such as `query parameter limit`.
 * The name has no quotes: the journal redacts a secret value only if it follows a name without quotes.
 */
function describeSubject({ in: part, pointer }: Violation): string {
  const isName = pointer.lastIndexOf('/') === 0 && !pointer.includes('~');
  const name = shorten(isName ? pointer.slice(1) : parsePointer(pointer).join('.'));
  // The first item of a list: `item 0`.
  if (part === 'body') return /^\d+(?:\.|$)/.test(String(name)) ? `item ${name}` : `${name || 'the body'}`;
  return `${part === 'header' || part === 'cookie' ? part : `${part} parameter`} ${name}`;
}

/** Creates a validator for the component schemas of a contract. */
export function createDataValidator(validate: SchemaValidator): DataValidator {
  return (schema, value) =>
    [...groupByPointer(validate(`/components/schemas/${schema}`, value))].map(([pointer, error]) => {
      const parts = describeError(error);
      const { rule, problem } = parts;
      return rule === 'unusable' ? { pointer, rule, message: problem } : createIssue(pointer, parts);
    });
}

/**
 * Combines the validators of two contracts: the application's own contract and the served contract, which can have more
 * or fewer fields.
 * A field must be valid in every contract that documents it.
 * A field that neither contract documents is an error.
 * A field that only the served contract requires can be missing.
 * `validateOwn` also adds default values to the data.
 */
export function combineDataValidators(validateOwn: DataValidator, validateServed: DataValidator): DataValidator {
  return (schema, value) => {
    const [ownIssues, servedIssues] = [validateOwn(schema, value), validateServed(schema, value)];
    const isUnknown = ({ rule }: Issue) => rule === 'additionalProperties' || rule === 'unevaluatedProperties';
    const unknownToServed = new Set(servedIssues.filter(isUnknown).map(({ pointer }) => pointer));
    const first = ownIssues.filter((issue) => !isUnknown(issue) || unknownToServed.has(issue.pointer));
    const pointers = new Set(first.map(({ pointer }) => pointer));
    const others = servedIssues.filter(
      (issue) => !isUnknown(issue) && issue.rule !== 'required' && !pointers.has(issue.pointer),
    );
    return [...first, ...others];
  };
}
