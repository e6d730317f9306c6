/** The type of the property `Name` of `T`; `never` if `T` does not have this property. */
export type PropertyType<T, Name extends PropertyKey> = T extends { readonly [K in Name]?: infer P }
  ? NonNullable<P>
  : never;

/** The type of the JSON body in a generated request or response type; `never` if there is no JSON body. */
export type JsonContent<T> = T extends { readonly content: { readonly 'application/json': infer Body } } ? Body : never;

/** The type of the text body in a generated response type; `never` if there is no text body. */
export type TextContent<T> = T extends { readonly content: { readonly 'text/plain': infer Body } } ? Body : never;

/**
 * The type of the request body of a generated operation type.
 * It includes `undefined` if the body is optional, and is `undefined` if the operation has no body.
 */
export type InputBody<Operation> = Operation extends { readonly requestBody: infer Body }
  ? JsonContent<Body>
  : Operation extends { readonly requestBody?: infer Body }
    ? JsonContent<Body> | undefined
    : undefined;
