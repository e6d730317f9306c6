import { chooseMediaType } from '../../mock/choose-media-type.ts';
import { canFormat, formatBody } from '../../mock/format-body.ts';
import { toContentType } from '../../mock/media-types.ts';
import { allowsJson, findMediaType, isJsonType } from '../../openapi/media-types.ts';
import { findResponse } from '../../openapi/responses.ts';
import type { Route } from '../../openapi/routes.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import type { ServedContract } from '../parts.ts';
import type { Headers } from '../response-headers.ts';
import type { ResponseData } from './outcome.ts';
import type { OperationCall } from './values.ts';

/** Returns whether the contract documents responses of an operation with other media types than JSON. */
export const hasOtherTypes = memoizeByObject(({ responses }: Route): boolean =>
  responses.some(({ media }) => Object.keys(media).some((type) => !isJsonType(type))),
);

/**
 * Formats the body of a handler's response for a media type that the contract documents for its status. If several are documented, chooses one by the header
 * `Accept`. `own`: the headers that the handler returned; a `Content-Type` among them is not changed.
 */
export function toDocumentedType(
  { contract }: ServedContract,
  { route, request }: Pick<OperationCall, 'route' | 'request'>,
  response: ResponseData,
  own: Headers,
): ResponseData {
  const { status, headers, body } = response;
  const ownType = own['Content-Type'];
  if (body === undefined || (ownType === undefined && !hasOtherTypes(route))) return response;
  const media = findResponse(route.responses, status)?.media ?? {};
  const documented = Object.keys(media);
  const isText = typeof body === 'string' || Buffer.isBuffer(body);
  // Only text and binary data can have a type such as text/csv.
  const possible = documented.filter((type) => isText || canFormat(toContentType(type)));
  const jsonFirst = possible.toSorted((a, b) => Number(allowsJson(b)) - Number(allowsJson(a)));
  const chosen = ownType ?? chooseMediaType(jsonFirst, request.headers.accept ?? '');
  if (chosen === undefined) return response;
  const contentType = toContentType(chosen);
  const schema = media[findMediaType(documented, chosen) ?? '']?.schema;
  const vary = ownType === undefined && possible.length > 1 ? addVary(headers) : {};
  return {
    ...response,
    headers: { ...headers, 'Content-Type': contentType, ...vary },
    body: formatBody(contentType, body, { document: contract.normalized, schema }),
  };
}

function addVary({ Vary: vary }: Headers): Headers {
  return { Vary: vary === undefined ? 'Accept' : `${vary}, Accept` };
}
