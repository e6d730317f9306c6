import type { BehaviourModel } from './behaviour-model.ts';
import type { Selection } from './selection.ts';

/** What to judge, and how. */
export interface CheckOptions extends Selection {
  /** The model of a contract: it is checked too if it applies. */
  readonly model?: BehaviourModel | undefined;
  /** The server's address; paths of the contract are below it. */
  readonly url: string;
  /** Headers that all requests carry. */
  readonly headers: Readonly<Record<string, string>>;
  readonly seed: number;
  /** How many generated requests each operation gets, and how many sequences are played. */
  readonly runs: number;
  /** Whether the server is in its default data to begin with. */
  readonly isFresh: boolean;
  /** How long to wait until the server answers, in s. */
  readonly waitSeconds: number;
  /** Headers of further places of the server that hold the same data and know nothing of each other, where parts are judged at the same time. */
  readonly sandboxHeaders?: readonly Readonly<Record<string, string>>[] | undefined;
  /** Told how many parts of all were judged, and which one was last. */
  readonly onProgress?: ((done: number, of: number, part: string) => void) | undefined;
  /** Ends the check once it is aborted; its reason is a `CheckStoppedError`. */
  readonly signal?: AbortSignal | undefined;
}
