import type { Route } from '../openapi/routes.ts';
import type { CheckContext } from './check-context.ts';
import { addConfirmed } from './confirm-findings.ts';
import { isSuccess } from './exchange.ts';
import type { Finding } from './findings.ts';
import { findId, isPathValue } from './ids.ts';
import { isMissing } from './life-cycle-rules.ts';
import type { LifeCycle } from './life-cycles.ts';
import { RequestSequence } from './request-sequence.ts';
import { toPath } from './requests.ts';
import { createViolation } from './rules.ts';

/** The difference between the seeds of two attempts to confirm a finding. */
const SEED_STEP = 5_003;

/**
 * Checks that the `Location` header of a created resource leads to it (RFC 9110, section 10.2.2), if the resource can
 * be read with the id in the body.
 */
export async function checkLocation(context: CheckContext, cycle: LifeCycle): Promise<void> {
  let attempt = 0;
  const examine = async () => {
    await context.prepare();
    return examineLocation({ ...context, seed: context.seed + attempt++ * SEED_STEP }, cycle);
  };
  await addConfirmed(context.session, await examine(), examine);
}

async function examineLocation(context: CheckContext, cycle: LifeCycle): Promise<readonly Finding[]> {
  const { create, read } = cycle;
  const { client } = context.session;
  const sequence = new RequestSequence(context);
  const created = await sequence.create(cycle, context.seed);
  const { location } = created?.response.headers ?? {};
  const id = findId(read.pathNames.at(-1) ?? '', created?.response.body)?.id;
  const { coverage } = context.session.results;
  if (created && location === undefined) coverage.skipRule('location', create, 'no response has a Location header');
  if (!created || location === undefined || !isPathValue(id)) return [];
  const targets = findTargets(location, client.url, toPath(create, created.values));
  if (targets.length === 0) return [];
  coverage.countRule('location', create);
  const collection = toPath(create, created.values);
  const isCollection = targets.some((target) => target === collection);
  for (const target of isCollection ? [] : targets) {
    const response = await sequence.sendRequest(read, { method: 'GET', target });
    if (!response || !isMissing(response)) return [];
  }
  const readValues = sequence.toOwn(read, { ...created, id: String(id) });
  const shown = readValues && (await sequence.send(read, readValues));
  if (!readValues || !shown || !isSuccess(shown)) return [];
  const place = isCollection ? 'is the path of the collection' : 'leads to status 404';
  const message = `The Location header ${location} ${place}, but the resource is at ${toPath(read, readValues)}`;
  const violation = createViolation('location', { message, pointer: getPointer(create) });
  sequence.add(create, violation, created.response);
  return sequence.findings;
}

/**
 * Returns the targets that a `Location` header or a link can mean: relative to the request, and relative to the URL of
 * the server.
 * Returns no target for another server.
 */
export function findTargets(location: string, url: string, path: string): readonly string[] {
  const base = new URL(url);
  const basePath = base.pathname.replace(/\/$/, '');
  const targets = [`${url}${path}`, `${url}/`].flatMap((from) => {
    const resolved = URL.canParse(location, from) ? new URL(location, from) : undefined;
    if (!resolved || resolved.host !== base.host) return [];
    const target = resolved.pathname + resolved.search;
    return [target.startsWith(`${basePath}/`) ? target.slice(basePath.length) : target];
  });
  return [...new Set(targets)];
}

function getPointer({ responses, successStatus, pointer }: Route): string {
  return responses.find(({ name }) => name === String(successStatus))?.pointer ?? pointer;
}
