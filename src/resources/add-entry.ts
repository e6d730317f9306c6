import { DomainError, type Input } from '../application.ts';
import type { Entry, State } from '../store/state.ts';
import { createAccount } from './accounts.ts';
import { linkUsers } from './embedded.ts';
import { getEntries, hasEqualId, setEntries } from './entries.ts';
import { appendEntry } from './entry-lists.ts';
import { getKeyValue } from './entry-values.ts';
import { addArticle } from './names.ts';
import type { Plan } from './resource.ts';
import type { ResourceModel } from './resource-model.ts';
import { describeFileUrl } from './uploads.ts';

/** The parameters of `addEntry`, which adds a new entry to a state. */
interface NewEntry {
  readonly state: State;
  readonly nowMs: number;
  readonly body: Entry;
  readonly path: Input['path'];
  readonly newId: () => string;
  /** The URL of a request that uploads a file. */
  readonly url?: string | undefined;
}

/**
 * Adds a new entry to a state.
 * Returns the entry and the next state.
 * Throws a `DomainError` if an entry has the same id, or a user the same login.
 */
export function addEntry(model: ResourceModel, plan: Plan, { state, nowMs, body, path, newId, url }: NewEntry) {
  const { resource } = plan;
  const entries = getEntries(state, resource);
  const own = model.createEntry(plan, { entries, body, path, nowMs, newId });
  const entry = linkUsers(model.reader, model.inference, resource, state, own);
  const created = createAccount(model.inference, resource, entry, { state, sent: body, newId });
  const file = url === undefined ? undefined : model.findDownload(resource);
  const result =
    url === undefined || !file
      ? created
      : {
          ...created,
          ...describeFileUrl(
            model.reader,
            resource,
            created,
            { file, route: plan.route, path, url },
            model.contract.isValid,
          ),
        };
  if (resource.kind === 'collection' && hasEqualId(entries, resource, result))
    throw new DomainError(
      'entry-exists',
      `${addArticle(resource.singular)} with the ${resource.id.property ?? resource.id.parameter} ${getKeyValue(result, resource.id)} already exists: use another ${resource.id.property ?? resource.id.parameter}`,
    );
  return { next: setEntries(state, resource, appendEntry(entries, result)), result };
}
