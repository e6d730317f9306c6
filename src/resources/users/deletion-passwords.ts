import { DomainError, type Input } from '../../application.ts';
import { toNode } from '../../openapi/document.ts';
import type { Entry, State } from '../../store/state.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { normalizeName } from '../../util/names.ts';
import { readResponseText } from '../document/document-texts.ts';
import { listRequestNames } from '../document/locate.ts';
import { getOwn } from '../entries/entry-values.ts';
import type { Plan } from '../resource.ts';
import type { ResourceModel } from '../resource-model.ts';
import { findPasswords } from './passwords.ts';
import { findSender } from './tokens.ts';
import { hasPassword } from './user-secrets.ts';

/** Matches normalized names of properties with the password by which a user logs in. */
const PASSWORD = /^(?:current|confirm|my|user|account)?(?:password|passwd|pwd|passphrase)$/;

/**
 * Returns the property of a body with the password of the user who sends a request, if an operation deletes an entry,
 * and its body has nothing else.
 * The password can also be that of the entry, such as a room, if requests can set one. Then returns an empty array.
 */
export const listDeletionPasswords = memoizeByObject((model: ResourceModel) =>
  memoizeByObject((plan: Plan): readonly string[] => {
    const { reader, inference } = model;
    const { users, loginNames, plans } = inference;
    if (plan.action !== 'delete' || !users || loginNames.length === 0) return [];
    const [name, ...others] = listRequestNames(reader, plan.route, []);
    if (name === undefined || others.length > 0 || !PASSWORD.test(normalizeName(name))) return [];
    if (plan.resource === users) return [name];
    const own = [...plans.values()].filter((one) => one.resource === plan.resource && one.action !== 'delete');
    const hasOwn = own.some(({ route, requestPath }) => findPasswords(listRequestNames(reader, route, requestPath)));
    return hasOwn ? [] : [name];
  }),
);

/**
 * Throws a `DomainError` if the body of a request that deletes an entry has another password than the user who sends
 * the request. For a user, the password can also be that of the deleted user.
 */
export function requireSenderPassword(
  model: ResourceModel,
  plan: Plan,
  input: Input,
  { state, entry }: { readonly state: State; readonly entry: Entry },
): void {
  const [name] = listDeletionPasswords(model)(plan);
  const { users } = model.inference;
  const password = name === undefined ? undefined : getOwn(toNode(input.body), name);
  if (name === undefined || !users || password === undefined) return;
  const sender = findSender(users, state, input);
  const candidates = [...(sender ? [sender] : []), ...(plan.resource === users ? [entry] : [])];
  if (candidates.length === 0 || candidates.some((user) => hasPassword(users, user, password))) return;
  const detail = `the ${name} is wrong: send the password with which the user logs in`;
  throw new DomainError(isUnauthorized(model, plan) ? 'invalid-credentials' : 'password-refused', detail);
}

/** Returns whether the documented 401 is the only error that is for passwords: `Invalid token or password`. */
function isUnauthorized({ reader }: ResourceModel, { route }: Plan): boolean {
  const isForPasswords = (status: string) => /password|credential/i.test(readResponseText(reader, route, status));
  return isForPasswords('401') && !['400', '422', '403'].some(isForPasswords);
}
