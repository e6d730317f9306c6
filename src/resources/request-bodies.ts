import { DomainError, type Input } from '../application.ts';
import { omitKeys, toNode } from '../openapi/document.ts';
import { findMediaType, isParsedType, isXmlType } from '../openapi/media-types.ts';
import type { Entry } from '../store/state.ts';
import { PATH_VALUES, type Plan } from './resource.ts';
import type { ResourceModel } from './resource-model.ts';
import { getInner, setInner } from './responses.ts';

/** Returns the entry in a request body. */
export function getBody(plan: Plan, input: Input): Entry {
  return getBodies(plan, input)[0] ?? {};
}

/**
 * Returns the entries in a request body, which has one entry or a list.
 * `model`: adds the default values of the body's schema; no default values without it.
 */
export function getBodies(plan: Plan, input: Input, model?: ResourceModel): readonly Entry[] {
  const { body } = input;
  const { requestPath, entryPath } = plan;
  if (body === undefined) requireReadableType(plan, input);
  return [getInner(body, requestPath)].flat().map((inner) => {
    const sent = omitKeys(toNode(inner), [PATH_VALUES]);
    const given = model ? { ...model.getRequestDefaults(plan), ...model.addRequestDefaults(plan, sent) } : sent;
    return setInner({}, entryPath, given);
  });
}

/**
 * Throws a `DomainError` if the body of a request was not read because of its media type, such as text/csv.
 * Decision: an operation that documents only such types, for example for files, ignores the body.
 */
function requireReadableType({ route }: Plan, { headers }: Input): void {
  const { 'content-type': sent, 'content-length': length = '0', 'transfer-encoding': coding } = headers;
  if (sent === undefined || (length === '0' && coding === undefined)) return;
  const readable = Object.keys(route.bodyMedia).filter((type) => isParsedType(type) || isXmlType(type));
  const documented = findMediaType(Object.keys(route.bodyMedia), sent);
  if (documented === undefined || readable.length === 0 || isParsedType(documented)) return;
  const others = readable.filter((type) => type !== documented);
  const detail = `the server can't read bodies of the type ${JSON.stringify(sent)}: send the body with Content-Type ${others.join(' or ')}`;
  if (others.length > 0) throw new DomainError('unreadable-type', detail);
}
