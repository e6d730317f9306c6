import type { BehaviourModel } from './behaviour-model.ts';
import type { Selection } from './selection.ts';

/** Options of a check. */
export interface CheckOptions extends Selection {
  /** The model of a contract: it is checked too if it applies. */
  readonly model?: BehaviourModel | undefined;
  /** The server's address; paths of the contract are below it. */
  readonly url: string;
  /** Headers that all requests carry. */
  readonly headers: Readonly<Record<string, string>>;
  readonly seed: number;
  /** The number of generated requests for each operation, and of sequences. */
  readonly runs: number;
  /** Whether the server starts with its default data. */
  readonly isFresh: boolean;
  /** The maximum time to wait for the server, in s. */
  readonly waitSeconds: number;
  /** Headers that select further isolated sandboxes with the same data, in which parts of the check run concurrently. */
  readonly sandboxHeaders?: readonly Readonly<Record<string, string>>[] | undefined;
  /** The maximum number of concurrent requests. Default: 10, or 2 in each of several sandboxes. */
  readonly maxConcurrent?: number | undefined;
  /** Called after each part with the number of completed parts, of all parts, and its name. */
  readonly onProgress?: ((done: number, of: number, part: string) => void) | undefined;
  /** Stops the check when it is aborted; its reason is a `CheckStoppedError`. */
  readonly signal?: AbortSignal | undefined;
}
