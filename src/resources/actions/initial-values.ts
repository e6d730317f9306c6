import type { Entry } from '../../store/state.ts';
import { normalizeName } from '../../util/names.ts';
import { getPropertyPath, getPropertySchema } from '../document/entry-properties.ts';
import { listRequestNames } from '../document/locate.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { setInner } from '../entries/entry-values.ts';
import { addInitial } from '../entries/nested-defaults.ts';
import { listDeletionMarks } from '../inference/find-trash.ts';
import type { Effect, Inference, Resource } from '../resource.ts';
import { listExamples } from '../values/example-entries.ts';
import { splitActionPath } from './actions.ts';
import { listDescribedInitial } from './described-states.ts';
import { findFirstState, findStateValue, isLaterState, STATE_PROPERTIES } from './states.ts';

/**
 * Returns the values of a new entry: those that the text of its creation says, and those that actions change later.
 * `isValid`: returns whether the schema at a JSON Pointer allows a value.
 */
export function listInitialValues(
  reader: SchemaReader,
  { plans, trashes }: Pick<Inference, 'plans' | 'trashes'>,
  resource: Resource,
  isValid: (pointer: string, value: unknown) => boolean,
): Entry {
  const effects = [...plans.values()].flatMap(({ resource: own, effect, route, archives }) =>
    own === resource && effect && (route.method !== 'DELETE' || archives) ? [effect] : [],
  );
  const all = [...effects, ...listDeletionMarks(reader, trashes, resource)];
  const unset = listUnsetValues(reader, resource.schema, all, isValid);
  const shown = listExampleState(reader, plans, resource, isValid);
  const first = { ...listUnsentState(reader, plans, resource), ...listSentFlags(reader, plans, resource), ...shown };
  const initial = addInitial(first, unset);
  return addInitial(initial, listDescribedInitial(reader, resource, plans));
}

/** Returns false for the booleans that actions such as `PUT /users/{userId}/admin` set to the value in their body. */
function listSentFlags(reader: SchemaReader, plans: Inference['plans'], resource: Resource): Entry {
  const flags = [...plans.values()].flatMap(({ resource: own, effect, route }) => {
    const verb = own === resource && effect?.setsBody ? splitActionPath(route.path)?.verb : undefined;
    const named = verb === undefined ? undefined : findStateValue(reader, resource.schema, verb);
    return named?.value === true ? [[named.property, false] as const] : [];
  });
  return Object.fromEntries(flags.filter(([name]) => reader.getProperties(resource.schema).has(name)));
}

/**
 * Returns the first value of a `status` or another main state that no request for a new entry can have, but that other
 * requests change. A boolean that says that an entry has ended, such as `archived`, is false.
 */
function listUnsentState(reader: SchemaReader, plans: Inference['plans'], resource: Resource): Entry {
  const { schema } = resource;
  if (schema === '') return {};
  const own = [...plans.values()].filter((plan) => plan.resource === resource);
  const sends = (name: string, isCreation: boolean) =>
    own.some(
      ({ action, route, requestPath }) =>
        (action === 'create') === isCreation && listRequestNames(reader, route, requestPath).includes(name),
    );
  const states = [...reader.getProperties(schema)].flatMap(([name, pointer]) => {
    const values = [reader.getKeyword(pointer, 'enum') ?? []].flat().filter((one) => typeof one === 'string');
    const isState = STATE_PROPERTIES.includes(normalizeName(name)) && values.length > 1;
    return isState && !sends(name, true) && sends(name, false) ? [[name, findFirstState(values, () => false)]] : [];
  });
  const ended = [...reader.getProperties(schema)].flatMap(([name, pointer]) => {
    const isFlag = reader.getTypes(pointer).includes('boolean') && isLaterState(normalizeName(name).replace(/^is/, ''));
    return isFlag && reader.getRequired(schema).includes(name) && !sends(name, true) ? [[name, false]] : [];
  });
  return own.some(({ action }) => action === 'create') ? Object.fromEntries([...states, ...ended]) : {};
}

/** Returns the main state in the example of the response to a creation, if its request can't have it. */
function listExampleState(
  reader: SchemaReader,
  plans: Inference['plans'],
  resource: Resource,
  isValid: (pointer: string, value: unknown) => boolean,
): Entry {
  const known = resource.schema === '' ? new Map<string, string>() : reader.getProperties(resource.schema);
  const creations = [...plans.values()].filter((plan) => plan.resource === resource && plan.action === 'create');
  const states = creations.flatMap((plan) => {
    const sent = listRequestNames(reader, plan.route, plan.requestPath);
    const [example = {}] = listExamples(reader, plan);
    const isState = (name: string, value: unknown) =>
      typeof value === 'string' && STATE_PROPERTIES.includes(normalizeName(name));
    return Object.entries(example).filter(
      ([name, value]) => !sent.includes(name) && isState(name, value) && isValid(known.get(name) ?? '', value),
    );
  });
  return Object.fromEntries(states);
}

/**
 * Returns the values of an entry to which no action was applied: the first state that no action sets, false, 0, and a
 * list without members.
 * An action such as `reopen` leads back to the first state.
 */
function listUnsetValues(
  reader: SchemaReader,
  schema: string,
  effects: readonly Effect[],
  isValid: (pointer: string, value: unknown) => boolean,
): Entry {
  const getPointer = (property: string) => getPropertySchema(reader, schema, property) ?? '';
  const isSet = (property: string, value: unknown) =>
    effects.some(
      ({ values: set, isUndo }) =>
        isUndo !== true && set.some((one) => one.property === property && one.value === value),
    );
  const values = effects.flatMap(
    ({ values: changed, counter, time, toggles, isUndo, members }): readonly (readonly [string, unknown])[] => [
      ...(members?.action === 'add' ? [[members.list, []] as const] : []),
      ...(toggles === undefined ? [] : [[toggles, false] as const]),
      ...changed.map(({ property, value }) => {
        const all = [reader.getKeyword(getPointer(property), 'enum') ?? []].flat();
        const first = findFirstState(all, (state) => isSet(property, state));
        // `deactivate` is for entries that start active, if no action activates them.
        const isOn = value === false && isUndo !== true && !isSet(property, true);
        return [property, typeof value === 'boolean' ? isOn : first] as const;
      }),
      ...(counter ? [[counter.property, 0] as const] : []),
      ...(time ? [[time.property, null] as const] : []),
    ],
  );
  return values
    .filter(([name, value]) => value !== undefined && isValid(getPointer(name), value))
    .reduce<Entry>((entry, [name, value]) => setInner(entry, getPropertyPath(reader, schema, name), value), {});
}
