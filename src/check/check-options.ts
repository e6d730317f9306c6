import type { Access } from './access.ts';
import type { BehaviourModel } from './behaviour-model.ts';
import type { CredentialStore } from './credential-store.ts';
import type { Finding } from './findings.ts';
import type { GetSettings } from './operation-settings.ts';
import type { CheckCommand } from './options.ts';
import type { Selection } from './selection.ts';

/** Options of `checkServer`, which checks a server against a contract. */
export interface CheckOptions extends Selection, Pick<CheckCommand, 'headers' | 'query' | 'runs' | 'sandboxHeaders'> {
  /** The expected behaviour of the server. Ignored if this model is for another contract. */
  readonly model?: BehaviourModel | undefined;
  /** The base URL of the server. The paths of the contract are appended to it. */
  readonly url: string;
  readonly seed: number;
  /** Whether the server has its default data when the check starts. */
  readonly isFresh: boolean;
  /** The maximum time to wait until the server responds, in s. */
  readonly waitSeconds: number;
  /** The maximum time to wait for a response, in s. Default: 30. */
  readonly timeoutSeconds?: number | undefined;
  /** Returns the settings of an operation. Default: none. */
  readonly getSettings?: GetSettings | undefined;
  /** The credentials of the configuration. Default: none. */
  readonly credentials?: CredentialStore | undefined;
  /** How the check reaches the server. Default: without options and without a proxy. */
  readonly access?: Access | undefined;
  /**
   * The maximum duration of the check, in s; 0 or undefined for no limit.
   * The check of a large contract distributes this time.
   * `signal` enforces the limit.
   */
  readonly maxTime?: number | undefined;
  /** Whether the user has chosen no contract, so that the contract of the behaviour model is used. */
  readonly usesDefaultContract?: boolean | undefined;
  /** The maximum number of concurrent requests in each sandbox. Default: 10, or 2 if there are several sandboxes. */
  readonly maxConcurrent?: number | undefined;
  /**
   * Called when a part of the check has ended.
   * The arguments are the number of ended parts, the number of all parts, the name of the part, and the findings so
   * far.
   */
  readonly onProgress?: ((done: number, total: number, part: string, findings: readonly Finding[]) => void) | undefined;
  /** A signal that stops the check when it is aborted. Its abort reason must be a `CheckStoppedError`. */
  readonly signal?: AbortSignal | undefined;
}
