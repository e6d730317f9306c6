import type { Issue } from '../util/issue.ts';
import { getRemedy } from './remedies.ts';
import { groupByPointer, type SchemaValidator } from './schema-validator.ts';
import { describeError } from './violations.ts';

/** Returns the validation errors of a value against a component schema of the contract, given by its name. */
export type DataValidator = (schema: string, value: unknown) => readonly Issue[];

/** Creates a validator of data from a validator of values. */
export function createDataValidator(validate: SchemaValidator): DataValidator {
  return (schema, value) =>
    [...groupByPointer(validate(`/components/schemas/${schema}`, value))].map(([pointer, error]) => ({
      pointer,
      rule: error.keyword,
      message: error.keyword === 'unusable' ? String(error.message) : `${describeError(error)}: ${getRemedy(error)}`,
    }));
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
