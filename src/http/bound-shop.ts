import type { Shop } from '../operations/handler.ts';
import { searchOf } from '../search/product-index.ts';
import type { Store } from '../store/store.ts';

/** What a shop is made of. */
export interface ShopParts {
  readonly store: Store;
  /** The time, in ms since 1970. */
  readonly nowMs: () => number;
  readonly newId: () => string;
}

/** The shop as one request sees it. */
export interface BoundShop {
  readonly shop: Shop;
  /** The revision of the state that alone was looked at; undefined where the clock was too, or a change was made. */
  revision(): number | undefined;
}

/** Binds the shop's parts for one request, and keeps watch over which of them its answer depends on. */
export function bindShop({ store, nowMs, newId }: ShopParts): BoundShop {
  let revision: number | undefined;
  let dependsOnMore = false;
  const more = () => {
    dependsOnMore = true;
  };
  return {
    revision: () => (dependsOnMore ? undefined : revision),
    shop: {
      read() {
        const snapshot = store.read();
        if (revision !== undefined && revision !== snapshot.revision) more();
        revision = snapshot.revision;
        return snapshot.state;
      },
      update(change) {
        more();
        return store.update(change);
      },
      reset() {
        more();
        return store.reset();
      },
      search: (products, term) => searchOf(products)(term),
      nowMs() {
        more();
        return nowMs();
      },
      newId() {
        more();
        return newId();
      },
    },
  };
}
