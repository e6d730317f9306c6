/** The changes that make `storefront diff` fail. */
export const FAIL_ON = ['breaking', 'any', 'none'] as const;

/** A parsed `storefront diff` command. */
export interface DiffCommand {
  /** The older version: the path of a file, `git:REVISION:PATH`, or the URL of a document or a running server. */
  readonly old: string;
  /** The newer version. */
  readonly new: string;
  readonly failOn: (typeof FAIL_ON)[number];
  readonly markdown?: boolean;
  readonly allowRefs?: readonly string[] | undefined;
}
