import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore from '@stoplight/spectral-core';
import parsers from '@stoplight/spectral-parsers';
import { oas } from '@stoplight/spectral-rulesets';
import { formatPointer } from '../../src/util/json-pointer.ts';
import type { DocumentFinding } from './finding.ts';

/**
 * Returns the findings of the linters Redocly (`recommended-strict`) and Spectral (`spectral:oas`), with all their rules. `path`: an absolute path. Takes
 * seconds.
 */
export async function lintFindings(path: string, source: string): Promise<readonly DocumentFinding[]> {
  return [...(await redocly(source, path)), ...(await spectral(source, path))];
}

async function redocly(source: string, path: string): Promise<readonly DocumentFinding[]> {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source, absoluteRef: path, config });
  return problems.map(({ ruleId, location, message }) => ({
    check: 'lint',
    pointer: location[0]?.pointer?.replace(/^#/, '').replace(/^\/$/, '') ?? '',
    message: `redocly ${ruleId}: ${message}`,
  }));
}

async function spectral(source: string, path: string): Promise<readonly DocumentFinding[]> {
  const linter = new spectralCore.Spectral();
  // The types of Spectral do not allow a ruleset as an object.
  linter.setRuleset({ extends: [oas] } as unknown as Parameters<typeof linter.setRuleset>[0]);
  const results = await linter.run(new spectralCore.Document(source, parsers.Yaml, path));
  return results.map(({ code, path: steps, message }) => ({
    check: 'lint',
    pointer: formatPointer(...steps.map(String)),
    message: `spectral ${code}: ${message}`,
  }));
}
