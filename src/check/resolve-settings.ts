import type { Contract } from '../openapi/contract.ts';
import type { Route } from '../openapi/routes.ts';
import { UserError } from '../util/issue.ts';
import type { GetSettings, OperationSettings, SettingsBySelector } from './operation-settings.ts';
import { isNamed } from './requests.ts';
import { selectRoutes } from './selection.ts';

/**
 * Finds the operations of settings.
 * Those of an operationId take precedence over those of other selectors, and later ones over earlier ones.
 * `common`: the values of parameters of all operations.
 * Throws a `UserError` if an operation or a parameter does not exist, or if a value violates the schema.
 */
export function resolveSettings(
  contract: Contract,
  settings: SettingsBySelector = {},
  common: Readonly<Record<string, unknown>> = {},
): GetSettings {
  const byRoute = new Map<Route, OperationSettings>();
  const isId = (selector: string) => contract.routes.some(({ operationId }) => operationId === selector);
  const sorted = Object.entries(settings).sort(([one], [other]) => Number(isId(one)) - Number(isId(other)));
  for (const [selector, own] of sorted)
    for (const route of selectSettings(contract, selector)) {
      const place = `check.operations[${JSON.stringify(selector)}].parameters`;
      for (const [name, value] of Object.entries(own.parameters ?? {}))
        if (!checkParameter(contract, route, { place, name, value }) && isId(selector))
          throw new UserError(`${place}.${name}: ${describeParameters(route)}.`);
      byRoute.set(route, mergeSettings(byRoute.get(route) ?? {}, own));
    }
  for (const [name, value] of Object.entries(common)) {
    const used = contract.routes.filter((one) =>
      checkParameter(contract, one, { place: 'check.parameters', name, value }),
    );
    if (used.length === 0) throw new UserError(`check.parameters.${name}: no operation has this parameter. Remove it.`);
  }
  return (route) => {
    const own = byRoute.get(route) ?? {};
    return Object.keys(common).length === 0 ? own : { ...own, parameters: { ...common, ...own.parameters } };
  };
}

function selectSettings(contract: Contract, selector: string): ReadonlySet<Route> {
  try {
    return selectRoutes(contract, [selector]);
  } catch (error) {
    if (error instanceof UserError)
      throw new UserError(`check.operations: ${error.message}`, { cause: error, reason: 'usage' });
    throw error;
  }
}

function mergeSettings(one: OperationSettings, other: OperationSettings): OperationSettings {
  return {
    ...one,
    ...other,
    headers: { ...one.headers, ...other.headers },
    parameters: { ...one.parameters, ...other.parameters },
    expected: [...(one.expected ?? []), ...(other.expected ?? [])],
  };
}

function describeParameters({ operationId, parameters, pathNames }: Route): string {
  const names = [...new Set([...pathNames, ...parameters.map(({ name }) => name)])];
  return `${operationId} has no such parameter. ${names.length > 0 ? `Use ${names.join(', ')}` : 'It has none'}`;
}

/** Returns whether an operation has a parameter. Throws a `UserError` if the value violates its schema. */
function checkParameter(
  contract: Contract,
  route: Route,
  { place, name, value }: { readonly place: string; readonly name: string; readonly value: unknown },
): boolean {
  const parameters = route.parameters.filter((parameter) => isNamed(parameter, name));
  for (const parameter of parameters) {
    const schema = parameter.schema;
    const text = typeof value === 'object' ? value : String(value);
    if (!contract.isValid(schema, value) && !contract.isValid(schema, text))
      throw new UserError(
        `${place}.${name}: ${JSON.stringify(value)} violates the schema of the parameter of ${route.operationId} (${contract.locate(parameter.pointer)}). Correct the value or the schema.`,
      );
  }
  return parameters.length > 0 || route.pathNames.includes(name);
}

/** Returns a note with the operations that are skipped, and the reasons; an empty list if there are none. */
export function describeSkipped(routes: readonly Route[], getSettings: GetSettings): readonly string[] {
  const skipped = routes.flatMap((route) => {
    const { skip } = getSettings(route);
    return skip === undefined ? [] : `${route.operationId} (${skip})`;
  });
  return skipped.length > 0 ? [`Skipped by check.operations: ${skipped.join(', ')}`] : [];
}
