import type { Shop } from '../shop/operations/handler.ts';
import { getSearch } from '../shop/search/product-index.ts';
import type { Store } from '../store/store.ts';

/** What a shop is made of. */
export interface ShopContextParts {
  readonly store: Store;
  /** The time, in ms since 1970. */
  readonly nowMs: () => number;
  readonly newId: () => string;
}

/** The shop as one request sees it. */
export interface TrackedShop {
  readonly shop: Shop;
  /** The revision of the state that alone was looked at; undefined where the clock was too, or a change was made. */
  revision(): number | undefined;
}

/** Binds the shop's parts for one request, and keeps watch over which of them its answer depends on. */
export function trackShop({ store, nowMs, newId }: ShopContextParts): TrackedShop {
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
      search: (products, term) => getSearch(products)(term),
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
