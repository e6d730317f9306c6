import type { BehaviourModel } from './behaviour-model.ts';
import type { CheckCommand } from './options.ts';
import type { Selection } from './selection.ts';

/** Options of a check. */
export interface CheckOptions extends Selection, Pick<CheckCommand, 'headers' | 'runs' | 'sandboxHeaders'> {
  /** The model of a contract: it is checked too if it applies. */
  readonly model?: BehaviourModel | undefined;
  /** The server's address; paths of the contract are below it. */
  readonly url: string;
  readonly seed: number;
  /** Whether the server starts with its default data. */
  readonly isFresh: boolean;
  /** The maximum time to wait for the server, in s. */
  readonly waitSeconds: number;
  /** The maximum number of concurrent requests. Default: 10, or 2 in each of several sandboxes. */
  readonly maxConcurrent?: number | undefined;
  /** Called after each part with the number of completed parts, of all parts, and its name. */
  readonly onProgress?: ((done: number, of: number, part: string) => void) | undefined;
  /** Stops the check when it is aborted; its reason is a `CheckStoppedError`. */
  readonly signal?: AbortSignal | undefined;
}
