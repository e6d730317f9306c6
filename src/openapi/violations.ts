import type { ErrorObject } from 'ajv';
import { createIssue, type Issue } from '../util/issue.ts';
import { parsePointer } from '../util/json-pointer.ts';
import { limitList } from '../util/limit-list.ts';
import { describeError, getRemedy, shorten } from './describe-error.ts';
import { groupByPointer, type SchemaValidator } from './schema-validator.ts';

/** One way in which a request breaks the contract. */
export interface Violation {
  /** The part of the request. */
  readonly in: 'body' | 'path' | 'query' | 'header';
  /** JSON Pointer into the part; empty for the whole part. */
  readonly pointer: string;
  /** The JSON Schema keyword that failed. */
  readonly rule: string;
  /** The invalid value, shortened; absent if there is none. */
  readonly value?: unknown;
  /** What to do: a clause such as "use an integer from 1 to 10". */
  readonly remedy: string;
}

/** The violations of a request, and a sentence that describes the first of them. */
export interface RequestViolations {
  readonly violations: readonly Violation[];
  readonly detail: string;
}

/** The parts of a request by the names that openapi-backend has for them. */
const PARTS: Readonly<Record<string, Violation['in']>> = {
  requestBody: 'body',
  path: 'path',
  query: 'query',
  header: 'header',
};

/** Returns one violation for each invalid value. The errors must come from an ajv with the options `verbose` and `allErrors`. */
export function toViolations(errors: readonly ErrorObject[]): RequestViolations {
  const grouped = [...groupByPointer(errors)].map(([pointer, error]) => ({
    error,
    violation: toViolation(pointer, error),
  }));
  const clauses = limitList(
    grouped,
    MAX_LISTED,
    ({ error, violation }) => `${describeSubject(violation)} ${describeError(error)}: ${violation.remedy}`,
  );
  return { violations: grouped.map(({ violation }) => violation), detail: clauses.join('; ') };
}

/** The number of entries that a message lists. A client can send any number of unknown names. */
export const MAX_LISTED = 5;

function toViolation(pointer: string, error: ErrorObject): Violation {
  const [, part = '', ...steps] = pointer.split('/');
  const value = getInvalidValue(error);
  return {
    in: PARTS[part] ?? 'header',
    pointer: steps.map((step) => `/${step}`).join(''),
    rule: error.keyword,
    ...(value === undefined ? {} : { value: shorten(value) }),
    remedy: getRemedy(error),
  };
}

function getInvalidValue({ keyword, params, data }: ErrorObject): unknown {
  if (keyword === 'required') return undefined;
  if (keyword === 'additionalProperties') return (data as Record<string, unknown>)[params.additionalProperty];
  return data;
}

/** The name stands without quotes directly before its value, where the journal finds secret values to redact. */
function describeSubject({ in: part, pointer }: Violation): string {
  const name = shorten(parsePointer(pointer).join('.'));
  if (part === 'body') return `${name || 'the body'}`;
  return `${part === 'header' ? part : `${part} parameter`} ${name}`;
}

/** Returns the validation errors of a value against a component schema of the contract, given by its name. */
export type DataValidator = (schema: string, value: unknown) => readonly Issue[];

/** Creates a validator of data from a validator of values. */
export function createDataValidator(validate: SchemaValidator): DataValidator {
  return (schema, value) =>
    [...groupByPointer(validate(`/components/schemas/${schema}`, value))].map(([pointer, error]) => {
      const { keyword: rule } = error;
      const problem = describeError(error);
      return rule === 'unusable'
        ? { pointer, rule, message: problem }
        : createIssue(pointer, { rule, problem, remedy: getRemedy(error) });
    });
}

/**
 * Combines the validator of the contract that the handlers are written for with that of the served contract, which may have more or fewer fields.
 * A field must be valid in each contract that has it. A field that neither has is an error; one that only the served contract has may be missing.
 * `validateOwn` also adds its defaults to the value.
 */
export function combineDataValidators(validateOwn: DataValidator, validateServed: DataValidator): DataValidator {
  return (schema, value) => {
    const [ownIssues, servedIssues] = [validateOwn(schema, value), validateServed(schema, value)];
    const isUnknown = ({ rule }: Issue) => rule === 'additionalProperties';
    const unknownToServed = new Set(servedIssues.filter(isUnknown).map(({ pointer }) => pointer));
    const first = ownIssues.filter((issue) => !isUnknown(issue) || unknownToServed.has(issue.pointer));
    const pointers = new Set(first.map(({ pointer }) => pointer));
    const others = servedIssues.filter(
      (issue) => !isUnknown(issue) && issue.rule !== 'required' && !pointers.has(issue.pointer),
    );
    return [...first, ...others];
  };
}
