import type { State } from './state.ts';

/** The text of a state as db.json has it: pretty-printed JSON, in UTF-8. */
export interface JsonText {
  /** The text; what hasn't changed since the last call is neither made nor encoded again. */
  of(state: State): Buffer;
  /** Makes `text` the text of `state`, to the letter. */
  keep(state: State, text: string): void;
}

const COLLECTIONS = ['products', 'deliveryOptions', 'cartItems', 'orders'] as const;

/** JSON texts of states, remembered by identity: states are never changed in place, so a text once made stays right. */
export function createTextCache(): JsonText {
  const states = new WeakMap<State, Buffer>();
  const lists = new WeakMap<readonly object[], Buffer>();
  const entries = new WeakMap<object, string>();

  const entryText = (entry: object) =>
    remembered(entries, entry, () => indented(JSON.stringify(entry, null, 2), '    '));
  const listText = (list: readonly object[]) =>
    remembered(lists, list, () => Buffer.from(list.length === 0 ? '[]' : `[\n${list.map(entryText).join(',\n')}\n  ]`));
  const stateText = (state: State) => {
    const parts = COLLECTIONS.flatMap((name, index) => [
      Buffer.from(`${index === 0 ? '{\n' : ',\n'}  "${name}": `),
      listText(state[name]),
    ]);
    return Buffer.concat([...parts, Buffer.from('\n}\n')]);
  };

  return {
    of: (state) => remembered(states, state, () => stateText(state)),
    keep: (state, text) => void states.set(state, Buffer.from(text)),
  };
}

function remembered<Key extends object, Text>(texts: WeakMap<Key, Text>, key: Key, make: () => Text): Text {
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
