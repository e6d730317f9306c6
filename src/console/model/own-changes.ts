import type { ControlApi, RequestParts, UsedId } from '../api/control-api.ts';
import { Observable } from './observable.ts';

/** A change of the state that the user made in the console. */
interface OwnChange {
  readonly text: string;
  /** The id of the newest recorded request at the time of the change, or 0 if there was no request. */
  readonly newestId: number;
}

/** Descriptions of the changes that the operations of the control API make to the state, by operationId. */
const CHANGE_DESCRIPTIONS: Partial<Readonly<Record<UsedId, string>>> = {
  addEntry: 'entry added in the console',
  patchState: 'entry edited in the console',
  putState: 'state imported in the console',
  resetSandbox: 'data reset in the console',
  restoreSnapshot: 'snapshot restored in the console',
};

/**
 * Stores the last change of the state that the user made in the console, for each sandbox.
 * The journal does not record these changes.
 */
export class OwnChanges {
  /** The number of changes since the page was opened. */
  readonly version = new Observable(0);
  readonly #changes = new Map<string, OwnChange>();

  /** Returns the last change of a sandbox, or undefined if the user did not change the sandbox in the console. */
  find(sandbox: string): OwnChange | undefined {
    return this.#changes.get(sandbox);
  }

  /** Removes the last change of a sandbox. Must be called if the journal of the sandbox starts again with id 1. */
  forget(sandbox: string): void {
    this.#changes.delete(sandbox);
  }

  /**
   * Returns a client of the control API that also stores the changes that its requests make.
   * The client sends its requests with `api`.
   */
  watch(api: ControlApi): ControlApi {
    const send = async <Id extends UsedId>(id: Id, parts: RequestParts<Id>) => {
      const result = await api.send(id, parts);
      const text = CHANGE_DESCRIPTIONS[id];
      const sandbox = (parts.path as { readonly id?: string } | undefined)?.id;
      if (text !== undefined && sandbox !== undefined) await this.#add(api, sandbox, text);
      return result;
    };
    return { send };
  }

  async #add(api: ControlApi, sandbox: string, text: string): Promise<void> {
    const newest = await api
      .send('listRequests', { path: { id: sandbox }, query: { limit: 1 } })
      .catch(() => undefined);
    if (newest !== undefined) this.#changes.set(sandbox, { text, newestId: newest[0]?.id ?? 0 });
    this.version.set(this.version.value + 1);
  }
}
