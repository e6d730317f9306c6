import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { State } from '../../src/shop/state.ts';
import { StateTexts } from '../../src/store/state-change.ts';
import { anyCodePoint } from '../support/fixtures/code-points.ts';
import { defaults } from '../support/fixtures/default-data.ts';

const EMPTY: State = { products: [], deliveryOptions: [], cartItems: [], orders: [] };

describe('the JSON text of a state', () => {
  it.each<[string, State]>([
    ['the default data', defaults],
    ['empty lists', EMPTY],
    ['empty lists in entries', { ...EMPTY, products: [product('x', [])] }],
    ['line breaks in a string', { ...EMPTY, products: [product('first\nsecond\r\n\u2028"third"\\', ['\n'])] }],
  ])('equals JSON.stringify with two spaces and a final line break for %s', (_name, state) => {
    expect(getText(state)).toBe(prettyPrinted(state));
  });

  it('equals JSON.stringify for any strings in the products', () => {
    const texts = fc.string({ unit: anyCodePoint });
    fc.assert(
      fc.property(fc.array(fc.tuple(texts, fc.array(texts, { maxLength: 3 })), { maxLength: 5 }), (pairs) => {
        const state = { ...EMPTY, products: pairs.map(([name, keywords]) => product(name, keywords)) };
        expect(getText(state)).toBe(prettyPrinted(state));
      }),
      { numRuns: 50 },
    );
  });

  it('is correct for a sequence of states that share unchanged entries', () => {
    const texts = new StateTexts(() => Object.keys(EMPTY));
    const item = { productId: product('', []).id, quantity: 1, deliveryOptionId: '1' };
    const changes: readonly ((state: State) => State)[] = [
      (state) => ({ ...state, cartItems: [...state.cartItems, item] }),
      (state) => ({ ...state, cartItems: state.cartItems.map((item) => ({ ...item, quantity: item.quantity + 1 })) }),
      (state) => ({ ...state, orders: [] }),
      (state) => ({ ...state, cartItems: state.cartItems.slice(1), products: state.products.toReversed() }),
    ];
    let state = defaults;
    for (const change of changes) {
      state = change(state);
      expect(getText(state, texts)).toBe(prettyPrinted(state));
    }
  });

  it('is the text that was set for a state, and is serialized for the next state', () => {
    const texts = new StateTexts(() => Object.keys(EMPTY));
    texts.sources.set(defaults, { state: defaults, text: Buffer.from('as somebody wrote it'), printedBytes: 0 });
    expect(getText(defaults, texts)).toBe('as somebody wrote it');
    const next = { ...defaults, cartItems: [] };
    expect(getText(next, texts)).toBe(prettyPrinted(next));
  });
});

function getText(state: State, texts = new StateTexts(() => Object.keys(EMPTY))): string {
  return Buffer.concat([...texts.getPieces(state)]).toString();
}

function prettyPrinted(state: State): string {
  return `${JSON.stringify(state, null, 2)}\n`;
}

function product(name: string, keywords: readonly string[]) {
  const rating = { stars: 4.5, count: 3 };
  return { id: '00000000-0000-4000-8000-000000000000', image: 'x.svg', name, rating, priceCents: 100, keywords };
}
