import { expect, it } from 'vitest';
import { shopContract } from '../../src/shop/contract.ts';
import { flawsInSlices, validateState } from '../../src/store/validate-state.ts';
import { defaults } from '../support/fixtures/default-data.ts';
import { ordersText } from '../support/fixtures/large-states.ts';

const large = { ...defaults, ...JSON.parse(ordersText(5_000)) };

it('A large state is checked in slices, between which other callbacks run', async () => {
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

it('A check in slices finds what a check in one go finds, and leaves the state as it is', async () => {
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

it('A check in slices ends at 1,000 flaws', async () => {
  const state = { ...defaults, orders: Array(5_000).fill({}) };
  expect(await flawsInSlices(state, shopContract.checkData)).toHaveLength(1_000);
});
