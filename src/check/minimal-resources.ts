import type { Contract } from '../openapi/contract.ts';
import { toNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import { ALL_PARTS, getPartProperties, getSchemaParts } from '../openapi/schema-parts.ts';
import type { CheckContext } from './check-context.ts';
import { addConfirmed } from './confirm-findings.ts';
import type { LifeCycle } from './life-cycles.ts';
import { ListedResource, NOT_LISTED } from './listed-resource.ts';
import { RequestSequence } from './request-sequence.ts';
import { getBodySchema, type RequestValues, validateValues } from './requests.ts';

/** The difference between the seeds of two attempts to confirm a finding. */
const SEED_STEP = 6_607;

/** Matches names of properties without which a list can leave out a resource on purpose. */
const SELECTING = /publi|visib|activ|enabl|status|state|approv|list|archiv|delet/i;

/**
 * Checks that a list has a resource without optional texts, numbers, objects and lists.
 * All other resources of the check have them.
 */
export async function checkMinimalResource(context: CheckContext, cycle: LifeCycle): Promise<void> {
  const { session, prepare } = context;
  if (!cycle.list) return;
  let attempt = 0;
  const examine = async () => {
    await prepare();
    return examineMinimal({ ...context, seed: context.seed + attempt++ * SEED_STEP }, cycle);
  };
  await addConfirmed(session, await examine(), examine);
}

async function examineMinimal(context: CheckContext, cycle: LifeCycle) {
  const { contract } = context.session;
  const { create } = cycle;
  const sequence = new RequestSequence(context);
  const names = listOptional(contract, create);
  const omitted = new Set<string>();
  const resource = await sequence.create(cycle, context.seed, (values) => {
    const reduced = omit(contract, create, values, names);
    for (const name of names) if (!Object.hasOwn(toNode(reduced.body), name)) omitted.add(name);
    return omitted.size > 0 ? reduced : undefined;
  });
  const read = resource && (await sequence.read(cycle, resource));
  if (!read) return sequence.findings;
  const { id, values } = resource;
  const send = sequence.send.bind(sequence);
  const listed = new ListedResource(context, cycle, { send, id, path: values.path, shown: read.body });
  await listed.checkListed(`${NOT_LISTED} without ${[...omitted].join(', ')}`);
  return sequence.findings;
}

/** Returns the optional properties of a new resource without which a list must not leave it out. */
function listOptional({ normalized }: Contract, create: Route): readonly string[] {
  const properties = getPartProperties(getSchemaParts(normalized, getBodySchema(create) ?? '', ALL_PARTS));
  return [...properties].flatMap(([name, schema]) => {
    const nodes = getSchemaParts(normalized, schema, ALL_PARTS).map(({ node }) => node);
    const isChoice = nodes.some(
      ({ type, enum: values, const: value, format }) =>
        [type].flat().includes('boolean') ||
        values !== undefined ||
        value !== undefined ||
        /^date/.test(String(format)),
    );
    return isChoice || SELECTING.test(name) ? [] : [name];
  });
}

/** Returns a copy of a valid request without properties, as far as it is still valid. */
function omit(contract: Contract, create: Route, values: RequestValues, names: readonly string[]): RequestValues {
  let current = values;
  for (const name of names) {
    const { [name]: _, ...body } = toNode(current.body);
    const reduced = { ...values, body };
    if (validateValues(contract, create, reduced).kind === 'call') current = reduced;
  }
  return current;
}
