import type { State } from '../../store/state.ts';
import { isLongList } from '../../util/slices.ts';
import type { List, Owner, SharedObjects } from './shared-objects.ts';

/**
 * The memory of a long list that is counted before a state contains it: the list and its entries, without objects that other lists contain too. The quota is
 * charged when a state with the list is added.
 */
class Reservation implements Owner {
  #bytes = 0;
  #isCharged = false;

  constructor(private readonly quota: Owner) {}

  charge(bytes: number): void {
    this.#bytes += bytes;
    if (this.#isCharged) this.quota.charge(bytes);
  }

  /** Charges the quota, or takes the charge back. */
  setCharged(isCharged: boolean): void {
    if (isCharged !== this.#isCharged) this.quota.charge(isCharged ? this.#bytes : -this.#bytes);
    this.#isCharged = isCharged;
  }
}

/** The long lists that are counted before a state of a sandbox contains them. Their memory counts for the quota of the sandbox when a state contains them. */
export class ReservedLists {
  private readonly reservations = new Map<List, Reservation>();
  /** Resolves when the last call of `hold` has ended. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly objects: SharedObjects,
    private readonly quota: Owner,
  ) {}

  /** Counts the long lists of a state in slices, and then calls `run`. Releases the lists when `run` has ended. Holds the lists of one state at a time. */
  hold<Result>(state: State, run: () => Promise<Result>): Promise<Result> {
    const lists = Object.values(state).filter(isLongList);
    if (lists.length === 0) return run();
    const ended = this.last.then(() => this.holdLists(lists, run));
    this.last = ended.catch(() => {});
    return ended;
  }

  /** Charges the quota for the reserved lists that a state contains, or takes the charge back. */
  setCharged(state: State = {}, isCharged: boolean): void {
    for (const list of Object.values(state)) this.reservations.get(list)?.setCharged(isCharged);
  }

  private async holdLists<Result>(lists: readonly List[], run: () => Promise<Result>): Promise<Result> {
    for (const list of lists) this.reservations.set(list, new Reservation(this.quota));
    try {
      return await this.objects.hold(new Map(this.reservations), run);
    } finally {
      // A state of another sandbox can contain a list that this sandbox has not added. The list counts for the sandbox that counted it first.
      for (const [list, reservation] of this.reservations) if (this.objects.has(list)) reservation.setCharged(true);
      this.reservations.clear();
    }
  }
}
