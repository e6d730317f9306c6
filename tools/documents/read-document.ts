import { bundle, createConfig } from '@redocly/openapi-core';
import { createDocument, type Document, type Node } from './document.ts';

/** Reads an OpenAPI document, of one file or of several. */
export async function readDocument(file: string): Promise<Document> {
  const { bundle: bundled } = await bundle({ ref: file, config: await createConfig({}) });
  return createDocument(bundled.parsed as Node);
}
