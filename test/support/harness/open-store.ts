import { onTestFinished } from 'vitest';
import { shopContract } from '../../../src/shop/contract.ts';
import { type OpenedState, openState, type StatePlaces } from '../../../src/store/open-state.ts';
import { projectFile } from '../fixtures/default-data.ts';
import { NOW_MS } from './start-storefront.ts';

/** What a start does with its state: over `data`, by default in memory, with the default data; told to nobody unless said otherwise. Closed with the test. */
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
