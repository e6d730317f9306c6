import { expect, it } from 'vitest';
import { defaults } from '../support/fixtures/default-data.ts';
import { createOrdersText } from '../support/fixtures/large-states.ts';
import { shopValidator } from '../support/fixtures/state-validator.ts';

const validator = shopValidator();

const large = { ...defaults, ...JSON.parse(createOrdersText(5_000)) };

it('validateInSlices lets other callbacks run while it validates a large state', async () => {
  let turns = 0;
  const count = () => {
    turns++;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  const issues = await validator.validateInSlices(large);
  clearImmediate(next);
  expect(issues).toEqual([]);
  expect(turns).toBeGreaterThanOrEqual(5_000 / 200);
});

it('validateInSlices returns the same issues as validate and does not change the state', async () => {
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
    const issues = await validator.validateInSlices(state);
    expect(issues.length).toBeGreaterThan(0);
    expect(issues).toEqual(validator.validate(structuredClone(state)).slice(0, 1_000));
    expect(JSON.stringify(state)).toBe(text);
  }
});

it('validateInSlices stops after 1,000 issues', async () => {
  const state = { ...defaults, orders: Array(5_000).fill({}) };
  expect(await validator.validateInSlices(state)).toHaveLength(1_000);
});

it('validateInSlices reports one issue for an object with more than 10,000 properties', async () => {
  const properties = Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`property${index}`, 1]));
  const [product] = defaults.products;
  const isLarge = [{ ...product, rating: { ...product?.rating, ...properties } }];
  expect(await validator.validateInSlices({ ...defaults, products: isLarge })).toEqual([
    { pointer: '/products/0/rating', message: 'has more than 10000 properties: remove some' },
  ]);
});
