import { onTestFinished } from 'vitest';
import { shopContract } from '../../../src/shop/contract.ts';
import { type OpenedState, openState, type StatePlaces } from '../../../src/store/open-state.ts';
import { projectFile } from '../fixtures/default-data.ts';
import { NOW_MS } from './start-storefront.ts';

/** Opens a store over `data`, by default in memory with the default data and without a log. Closes it when the test ends. */
export async function openTestState(places: Partial<StatePlaces> = {}): Promise<OpenedState> {
  const opened = await openState({
    data: undefined,
    durability: 'disk',
    defaultData: projectFile('db.json.default'),
    check: shopContract.checkData,
    nowMs: () => NOW_MS,
    address: () => undefined,
    tell: { info() {}, warn() {}, error() {} },
    ...places,
  });
  onTestFinished(() => opened.store.close());
  return opened;
}
