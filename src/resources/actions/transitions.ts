import { DomainError } from '../../application.ts';
import type { Entry } from '../../store/state.ts';
import { normalizeName } from '../../util/names.ts';
import { getPropertySchema, requiresProperty } from '../document/entry-properties.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { getProperty } from '../entries/entry-values.ts';
import type { Effect, Plan } from '../resource.ts';
import { splitActionPath } from './actions.ts';
import { isEnded } from './states.ts';

/** Matches actions that are possible in a final state. */
const AFTERWARDS =
  /^(?:archive|delete|close|refund|return|retry|rate|review|read|pin|like|flag|star|archiver|supprimer|cloturer|fermer|rembourser|retourner|evaluer|archivar|arquivar|cerrar|fechar|encerrar|reembolsar|eliminar|excluir|devolver|avaliar|evaluar)$/;

/**
 * Returns the plans with what the actions of a resource say about each other.
 * `reopen` removes the times that `complete` and `cancel` set.
 * `confirm` is refused for an entry that `cancel` has changed, if the document has 409 for it.
 */
export function connectActions(reader: SchemaReader, plans: ReadonlyMap<string, Plan>): ReadonlyMap<string, Plan> {
  const actions = [...plans.values()].flatMap((plan) => (plan.effect ? [{ plan, effect: plan.effect }] : []));
  return new Map(
    [...plans].map(([key, plan]) => {
      const { effect, resource, route } = plan;
      if (!effect || effect.values.length === 0 || route.method === 'DELETE') return [key, plan];
      const others = actions.flatMap((other) => {
        const isOther = other.plan.resource === resource && other.plan !== plan && !other.effect.isUndo;
        return isOther && getOther(effect, other.effect) !== undefined ? [other.effect] : [];
      });
      const connected = effect.isUndo
        ? addUndone(reader, resource.schema, effect, others)
        : addRefused(effect, splitActionPath(route.path)?.verb ?? '', others);
      return [key, { ...plan, effect: connected }];
    }),
  );
}

/** Returns the value that another action sets to the property of an action. */
function getOther({ values }: Effect, other: Effect) {
  return other.values.find((one) =>
    values.some(({ property, value }) => property === one.property && value !== one.value),
  );
}

function addUndone(reader: SchemaReader, schema: string, effect: Effect, others: readonly Effect[]): Effect {
  const isRemovable = (name: string) =>
    !requiresProperty(reader, schema, name) || reader.allowsNull(getPropertySchema(reader, schema, name) ?? '');
  const times = others.flatMap(({ time }) => (time?.isSet && isRemovable(time.property) ? [time.property] : []));
  const clears = [...new Set(times)].filter((name) => name !== effect.time?.property);
  const known = effect.values.map(({ property }) => property);
  const flags = others.flatMap(({ values }) =>
    values.filter(({ value }) => value === true).map(({ property }) => property),
  );
  const unset = [...new Set(flags)].filter((name) => !known.includes(name));
  return {
    ...effect,
    values: [...effect.values, ...unset.map((property) => ({ property, value: false }))],
    ...(clears.length > 0 ? { clears } : {}),
  };
}

function addRefused(effect: Effect, verb: string, others: readonly Effect[]): Effect {
  if (AFTERWARDS.test(normalizeName(verb))) return effect;
  const refusedIn = others.flatMap((other) => {
    const found = getOther(effect, other);
    return typeof found?.value === 'string' && isEnded(found.value) ? [found] : [];
  });
  return refusedIn.length > 0 ? { ...effect, refusedIn } : effect;
}

/** Throws a `DomainError` if the entry of an action is in a state in which the action is refused. */
export function requireOpenState({ effect, resource, route }: Plan, entry: Entry): void {
  const refused = effect?.refusedIn?.find(({ property, value }) => getProperty(entry, property) === value);
  if (refused && route.responses.some(({ name }) => name === '409'))
    throw new DomainError(
      'conflict',
      `the ${resource.singular} has ${refused.property} ${JSON.stringify(refused.value)}: change it first`,
    );
}
