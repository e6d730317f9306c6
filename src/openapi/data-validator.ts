import type { SchemaName } from '../shop/types.ts';
import { getRemedy } from './remedies.ts';
import type { SchemaValidator } from './schema-validator.ts';
import { onePerPlace, wrongness } from './violations.ts';

/** Something wrong with a value: where (JSON Pointer), which rule it breaks, and the end of a sentence that begins with the place. */
export interface DataIssue {
  readonly pointer: string;
  readonly rule: string;
  readonly trouble: string;
}

/** What is wrong with a value by a schema of the contract. */
export type DataValidator = (schema: SchemaName, value: unknown) => readonly DataIssue[];

/** Checks data by the schemas that a judge has. */
export function createDataValidator(judge: SchemaValidator): DataValidator {
  return (schema, value) =>
    [...onePerPlace(judge(`/components/schemas/${schema}`, value))].map(([pointer, error]) => ({
      pointer,
      rule: error.keyword,
      trouble: error.keyword === 'unusable' ? String(error.message) : `${wrongness(error)}: ${getRemedy(error)}`,
    }));
}

/**
 * Checks data that the shop's handlers are to work with, and that is to be served by a contract which may have gained or lost fields since they were
 * written: what either says of its own fields must hold, what both don't know is refused, what was gained may lack. Puts the shop's own defaults
 * into what it checks.
 */
export function combineDataValidators(shop: DataValidator, served: DataValidator): DataValidator {
  return (schema, value) => {
    const [byShop, byServed] = [shop(schema, value), served(schema, value)];
    const isUnknown = ({ rule }: DataIssue) => rule === 'additionalProperties';
    const unknownToServed = new Set(byServed.filter(isUnknown).map(({ pointer }) => pointer));
    const own = byShop.filter((trouble) => !isUnknown(trouble) || unknownToServed.has(trouble.pointer));
    const ownPlaces = new Set(own.map(({ pointer }) => pointer));
    const others = byServed.filter(
      (trouble) => !isUnknown(trouble) && trouble.rule !== 'required' && !ownPlaces.has(trouble.pointer),
    );
    return [...own, ...others];
  };
}
