/** The part of the package that is used. The package has no types. */
declare module 'swagger2openapi' {
  /**
   * Converts a document, which it can change. Adds the result to `options`.
   * `patch`: whether to correct small mistakes.
   * `warnOnly`: whether to mark what can't be converted, instead of an error.
   */
  export function convertObj<Document>(
    document: unknown,
    options: { readonly patch: boolean; readonly warnOnly: boolean },
  ): Promise<{ readonly openapi: Document }>;
}
