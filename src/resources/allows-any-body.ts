import { type Document, getTarget, toNode } from '../openapi/document.ts';
import { findJsonMedia, findResponse, hasOpenContent } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';

/** Keywords that do not restrict a value. */
const ANNOTATIONS = ['title', 'description', 'example', 'examples'];

/** Returns whether the document leaves open which JSON a GET returns: its success response has no content, or JSON without a schema. */
export function allowsAnyBody(document: Document, route: Route): boolean {
  const { method, responses, successStatus } = route;
  const response = method === 'GET' ? findResponse(responses, successStatus) : undefined;
  return response !== undefined && (hasOpenContent(method, response) || allowsAnyJson(document, route));
}

/** Returns whether the success response of an operation is documented as JSON without a schema, or with a schema that allows any value. */
export function allowsAnyJson(document: Document, { responses, successStatus }: Route): boolean {
  const media = findJsonMedia(responses, successStatus);
  if (!media || media.schema === undefined) return media !== undefined;
  return Object.keys(toNode(getTarget(document, media.schema))).every((keyword) => ANNOTATIONS.includes(keyword));
}
