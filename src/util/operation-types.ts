/** The type of the property `Name`; `never` if the type does not have it. */
export type PropertyType<T, Name extends PropertyKey> = T extends { readonly [K in Name]?: infer P }
  ? NonNullable<P>
  : never;

/** The type of the JSON body of a generated request or response type; `never` if the request or response has no JSON body. */
export type JsonContent<T> = T extends { readonly content: { readonly 'application/json': infer Body } } ? Body : never;

/** The type of the text body of a generated response type; `never` if the response has no text body. */
export type TextContent<T> = T extends { readonly content: { readonly 'text/plain': infer Body } } ? Body : never;

/**
 * The type of the request body of a generated operation type. It is undefined if the operation has no body, and includes undefined if the client can omit the
 * body.
 */
export type InputBody<Operation> = Operation extends { readonly requestBody: infer Body }
  ? JsonContent<Body>
  : Operation extends { readonly requestBody?: infer Body }
    ? JsonContent<Body> | undefined
    : undefined;
