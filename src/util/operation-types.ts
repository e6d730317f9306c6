/** The type of the property `Name`; `never` if the type does not have it. */
export type PropertyType<T, Name extends PropertyKey> = T extends { readonly [K in Name]?: infer P }
  ? NonNullable<P>
  : never;

/** The type of the JSON body of a generated request or response; `never` if there is none. */
export type JsonContent<T> = T extends { readonly content: { readonly 'application/json': infer Body } } ? Body : never;

/** The type of the request body of a generated operation; undefined if the operation has no body or the client can omit it. */
export type InputBody<Operation> = Operation extends { readonly requestBody: infer Body }
  ? JsonContent<Body>
  : Operation extends { readonly requestBody?: infer Body }
    ? JsonContent<Body> | undefined
    : undefined;
