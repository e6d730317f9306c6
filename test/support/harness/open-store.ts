import { onTestFinished } from 'vitest';
import { collections, type State } from '../../../src/shop/state.ts';
import { type OpenedState, type OpenStateOptions, openState } from '../../../src/store/open-state.ts';
import { projectFile } from '../fixtures/default-data.ts';
import { shopValidator } from '../fixtures/state-validator.ts';
import { NOW_MS } from './start-storefront.ts';

/**
 * Opens a store of the shop, and closes it when the test ends. By default, the store is in memory, has the default data, and logs nothing. `places`: options
 * that differ.
 */
export async function openTestState(places: Partial<OpenStateOptions> = {}): Promise<OpenedState<State>> {
  const { check = shopValidator().validate } = places;
  const opened = await openState<State>({
    data: undefined,
    durability: 'disk',
    defaultData: projectFile('db.json.default'),
    collections: () => Object.keys(collections),
    check,
    *checkInSteps(data) {
      yield;
      return check(data);
    },
    nowMs: () => NOW_MS,
    address: () => undefined,
    log: { info() {}, warn() {}, error() {} },
    ...places,
  });
  onTestFinished(() => opened.store.close());
  return opened;
}
