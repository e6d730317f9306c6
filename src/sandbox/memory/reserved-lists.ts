import type { State } from '../../store/state.ts';
import { isLongList } from '../../util/slices.ts';
import type { List, Owner, SharedObjects } from './shared-objects.ts';

/**
 * The memory of a long list that is counted in advance, before a state contains the list. Entries that other lists also contain do not count. The quota is
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

  /** Adds the memory of the list to the quota, or subtracts it again. */
  setCharged(isCharged: boolean): void {
    if (isCharged !== this.#isCharged) this.quota.charge(isCharged ? this.#bytes : -this.#bytes);
    this.#isCharged = isCharged;
  }
}

/** Long lists whose memory is counted in advance, before a state of a sandbox contains them. The quota of the sandbox is charged when a state contains them. */
export class ReservedLists {
  private readonly reservations = new Map<List, Reservation>();
  /** Resolves when the last call of `hold` has ended. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly objects: SharedObjects,
    private readonly quota: Owner,
  ) {}

  /**
   * Counts the long lists of a state in slices, between which the server handles other requests. Then calls `run`, and forgets the lists when `run` has ended.
   * Concurrent calls count one state after the other.
   */
  hold<Result>(state: State, run: () => Promise<Result>): Promise<Result> {
    const lists = Object.values(state).filter(isLongList);
    if (lists.length === 0) return run();
    const ended = this.last.then(() => this.holdLists(lists, run));
    this.last = ended.catch(() => {});
    return ended;
  }

  /** Charges the quota for the lists of `state` that were counted in advance, or undoes the charge. */
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
