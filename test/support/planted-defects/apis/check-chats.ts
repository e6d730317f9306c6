import type { CheckOptions } from '../../../../src/check/check-options.ts';
import { createReport } from '../../../../src/check/report/report.ts';
import { groupFailures } from '../../../../src/check/report/text.ts';
import { loadContract } from '../../../../src/openapi/contract.ts';
import { createApiDocument } from '../../fixtures/api-document.ts';
import { writeDocument } from '../../fixtures/other-document.ts';
import { checkApi } from '../../harness/check-api.ts';
import { type ChatVariant, createChats, describeChats } from './chats.ts';

/** Returns the OpenAPI document of a variant. */
function createDocument(variant: ChatVariant) {
  const { paths, conflicts } = describeChats(variant);
  const document = JSON.parse(createApiDocument(paths));
  for (const [path, description] of Object.entries(conflicts)) {
    const response = document.paths[path]?.post?.responses[409];
    if (response) response.description = description;
  }
  return document;
}

/**
 * Checks a server of chats. Returns the rule, the message and the place of each cause.
 * `stop`: options that end the check early.
 */
export async function checkChats(
  variant: ChatVariant,
  seed: number,
  stop: Pick<CheckOptions, 'onProgress' | 'signal'> = {},
) {
  const document = createDocument(variant);
  const verdict = await checkApi(document, createChats(variant), { seed, runs: 5, ...stop });
  const contract = await loadContract({ path: await writeDocument(document), strict: false });
  const { failures } = createReport(verdict, contract, () => undefined);
  const first = groupFailures(failures).flatMap((group) => group.slice(0, 1));
  return first.map(({ rule, operationId, message, place }) => ({
    rule: rule?.name,
    text: `${rule?.name} (${rule?.confidence}) ${operationId}: ${message}`,
    place: place.replace(/^.*#/, ''),
  }));
}
