import { type Document, getTarget, toNode } from '../openapi/document.ts';
import { findJsonMedia, findResponse, hasOpenContent } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';

/** Keywords of schemas that allow any value. */
const ANNOTATIONS = ['title', 'description'];

/**
 * Returns whether the document leaves open which JSON a GET returns: its success response has no content, or JSON
 * without a schema and without examples.
 */
export function allowsAnyBody(document: Document, route: Route): boolean {
  const { method, responses, successStatus } = route;
  const response = method === 'GET' ? findResponse(responses, successStatus) : undefined;
  return response !== undefined && (hasOpenContent(method, response) || allowsAnyJson(document, route));
}

/**
 * Returns whether the success response of an operation is JSON without a schema and without examples, or with a schema
 * that allows any value.
 */
export function allowsAnyJson(document: Document, { responses, successStatus }: Route): boolean {
  const media = findJsonMedia(responses, successStatus);
  const isOnly = Object.keys(findResponse(responses, successStatus)?.media ?? {}).length === 1;
  if (!media || !isOnly || media.examples.length > 0) return false;
  const schema = toNode(getTarget(document, media.schema ?? ''));
  return media.schema === undefined || Object.keys(schema).every((keyword) => ANNOTATIONS.includes(keyword));
}
