import type { State } from './state.ts';

/** The text of a state as db.json has it: pretty-printed JSON. */
export interface JsonText {
  /** The text; what hasn't changed since the last call is not made again. */
  of(state: State): string;
  /** Makes `text` the text of `state`, to the letter. */
  keep(state: State, text: string): void;
}

const COLLECTIONS = ['products', 'deliveryOptions', 'cartItems', 'orders'] as const;

/** JSON texts of states, remembered by identity: states are never changed in place, so a text once made stays right. */
export function jsonText(): JsonText {
  const states = new WeakMap<State, string>();
  const lists = new WeakMap<readonly object[], string>();
  const entries = new WeakMap<object, string>();

  const entryText = (entry: object) =>
    remembered(entries, entry, () => indented(JSON.stringify(entry, null, 2), '    '));
  const listText = (list: readonly object[]) =>
    remembered(lists, list, () => (list.length === 0 ? '[]' : `[\n${list.map(entryText).join(',\n')}\n  ]`));
  const stateText = (state: State) =>
    `{\n${COLLECTIONS.map((name) => `  "${name}": ${listText(state[name])}`).join(',\n')}\n}\n`;

  return {
    of: (state) => remembered(states, state, () => stateText(state)),
    keep: (state, text) => void states.set(state, text),
  };
}

function remembered<Key extends object>(texts: WeakMap<Key, string>, key: Key, make: () => string): string {
  let text = texts.get(key);
  if (text === undefined) {
    text = make();
    texts.set(key, text);
  }
  return text;
}

function indented(text: string, by: string): string {
  return by + text.replaceAll('\n', `\n${by}`);
}
