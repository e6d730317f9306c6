// Writes the view of openapi.yaml (the version of the document that dredd reads) to the path in dredd.yml.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseDocument, readContract } from '../../src/openapi/document.ts';
import { createDreddView } from './view.ts';

const VIEW = 'node_modules/.cache/storefront/dredd-view.json';

mkdirSync(dirname(VIEW), { recursive: true });
writeFileSync(
  VIEW,
  JSON.stringify(createDreddView(parseDocument('openapi.yaml', readContract('openapi.yaml'))), null, 1),
);
