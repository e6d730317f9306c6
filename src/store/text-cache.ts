import type { State } from './state.ts';

/** The JSON texts of states as a data file has them: pretty-printed, in UTF-8. */
export interface TextCache {
  /** Returns the text of a state. Lists and entries that have not changed since the last call are neither printed nor encoded again. */
  get(state: State): Buffer;
  /** Stores the text that a state was read from: `get` returns it byte for byte. */
  set(state: State, text: string): void;
}

/** Creates a cache for states with these collections, which the text has in this order. It is keyed by identity: states never change in place. */
export function createTextCache(collections: readonly string[]): TextCache {
  const states = new WeakMap<State, Buffer>();
  const lists = new WeakMap<readonly object[], Buffer>();
  const entries = new WeakMap<object, string>();

  const entryText = (entry: object) =>
    getOrCreate(entries, entry, () => indent(JSON.stringify(entry, null, 2), '    '));
  const listText = (list: readonly object[]) =>
    getOrCreate(lists, list, () =>
      Buffer.from(list.length === 0 ? '[]' : `[\n${list.map(entryText).join(',\n')}\n  ]`),
    );
  const stateText = (state: State) => {
    const parts = collections.flatMap((name, index) => [
      Buffer.from(`${index === 0 ? '{\n' : ',\n'}  "${name}": `),
      listText(state[name] ?? []),
    ]);
    return Buffer.concat([...parts, Buffer.from('\n}\n')]);
  };

  return {
    get: (state) => getOrCreate(states, state, () => stateText(state)),
    set: (state, text) => void states.set(state, Buffer.from(text)),
  };
}

function getOrCreate<Key extends object, Text>(texts: WeakMap<Key, Text>, key: Key, create: () => Text): Text {
  let text = texts.get(key);
  if (text === undefined) {
    text = create();
    texts.set(key, text);
  }
  return text;
}

function indent(text: string, by: string): string {
  return by + text.replaceAll('\n', `\n${by}`);
}
