import { readFileSync } from 'node:fs';
import { bundle, createConfig, YamlParseError } from '@redocly/openapi-core';
import { load } from 'js-yaml';
import { createDocument, type Document, type Node } from './document.ts';

/** Reads an OpenAPI document, of one file or of several. */
export async function readDocument(file: string): Promise<Document> {
  try {
    const { bundle: bundled } = await bundle({ ref: file, config: await createConfig({}) });
    return createDocument(bundled.parsed as Node);
  } catch (error) {
    if (!(error instanceof YamlParseError)) throw error;
    // Many parsers accept quoted texts whose lines are not indented, as in public documents. That of the bundler does not.
    return createDocument(load(readFileSync(file, 'utf8')) as Node);
  }
}
