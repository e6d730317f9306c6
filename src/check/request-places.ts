import type { Contract } from '../openapi/contract.ts';
import type { Route } from '../openapi/routes.ts';
import type { RequestViolations } from '../openapi/violations.ts';
import { decodeStep } from '../util/json-pointer.ts';
import { findPlacePointer, generalizePlace } from './body-places.ts';
import { getBodySchema } from './requests.ts';
import { createViolation, type Violation } from './rules.ts';

/** Returns the violation of a server that accepts an invalid request. `status`: that of its response. */
export function createAcceptedInvalid(
  contract: Contract,
  route: Route,
  { violations: [first], detail }: RequestViolations,
  status: number,
): Violation {
  const place = generalizeRequestPlace(contract, route, first);
  // The place of a whole body is empty.
  const parts = [first?.in ?? 'body', place, first?.rule ?? ''].filter((part) => part !== '');
  return createViolation('invalid-refused', {
    title: `refuses invalid requests: ${parts.join(' ')}`,
    message: `The server accepts an invalid request with status ${status}: ${detail}`,
    pointer: first ? findRequestPointer(contract, route, first) : route.pointer,
  });
}

type RequestViolation = RequestViolations['violations'][number];

/** Returns the place of a violation with `*` for the indices of lists and the keys of maps, which are generated. */
function generalizeRequestPlace(
  { normalized }: Contract,
  route: Route,
  violation: RequestViolation | undefined,
): string {
  const { in: location, pointer = '' } = violation ?? {};
  if (location === 'body')
    return generalizePlace(normalized, getBodySchema(route), `body${pointer}`).slice('body'.length);
  const [, name = '', ...steps] = pointer.split('/');
  const parameter = route.parameters.find((one) => one.in === location && one.name === decodeStep(name));
  const place = generalizePlace(normalized, parameter?.schema, ['body', ...steps].join('/'));
  return pointer === '' ? '' : `/${name}${place.slice('body'.length)}`;
}

/** Returns the JSON Pointer of the schema, parameter or operation that an invalid request violates. */
function findRequestPointer({ normalized }: Contract, route: Route, violation: RequestViolation | undefined): string {
  const schema = getBodySchema(route);
  if (violation?.in === 'body')
    return schema === undefined
      ? `${route.pointer}/requestBody`
      : findPlacePointer(normalized, schema, `body${violation.pointer}`);
  const [, name] = (violation?.pointer ?? '').split('/');
  const violated = route.parameters.find((parameter) => parameter.in === violation?.in && parameter.name === name);
  return (violated ?? route).pointer;
}
