import { expect, it } from 'vitest';
import { shopContract } from '../../src/shop/contract.ts';
import { flawsInSlices, validateState } from '../../src/store/validate-state.ts';
import { defaults } from '../support/fixtures/default-data.ts';
import { ordersText } from '../support/fixtures/large-states.ts';

const large = { ...defaults, ...JSON.parse(ordersText(5_000)) };

it('flawsInSlices lets other callbacks run while it validates a large state', async () => {
  let turns = 0;
  const count = () => {
    turns++;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  const flaws = await flawsInSlices(large, shopContract.checkData);
  clearImmediate(next);
  expect(flaws).toEqual([]);
  expect(turns).toBeGreaterThanOrEqual(5_000 / 200);
});

it('flawsInSlices returns the same issues as validateState and does not change the state', async () => {
  const states = [
    { ...large, orders: [...large.orders, large.orders[0]] },
    { ...large, products: [], deliveryOptions: [] },
    { ...large, cartItems: [{ quantity: 0 }], more: [] },
    { products: {}, orders: [1] },
    [],
    null,
  ];
  for (const state of states) {
    const text = JSON.stringify(state);
    const flaws = await flawsInSlices(state, shopContract.checkData);
    expect(flaws.length).toBeGreaterThan(0);
    expect(flaws).toEqual(validateState(structuredClone(state), shopContract.checkData).slice(0, 1_000));
    expect(JSON.stringify(state)).toBe(text);
  }
});

it('flawsInSlices stops after 1,000 issues', async () => {
  const state = { ...defaults, orders: Array(5_000).fill({}) };
  expect(await flawsInSlices(state, shopContract.checkData)).toHaveLength(1_000);
});
