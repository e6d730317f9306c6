import { relative } from 'node:path';
import type { Failure, ReportPart, Row } from '../../src/check/report/report.ts';
import { isShop } from '../../src/check/shop/shop.ts';
import { loadContract } from '../../src/contract/contract.ts';
import { type Document, parseDocument, placesIn } from '../../src/contract/document.ts';
import { AgainstFault, earlierVersion } from './against.ts';
import { changesBetween } from './breaking.ts';
import { documentFindings } from './document-checks.ts';

const JUDGE = 'document';

/** What the checks of a document are about, in the rows of a report. */
const CHECKS = ['lint', 'examples', 'names', 'limits'] as const;

/** What is to be said of the document at a path: its own checks, and what its changes since an earlier version break. */
export async function documentPart(path: string, against: string | undefined): Promise<ReportPart> {
  const contract = await loadContract({ path, strict: false });
  const file = relative('.', path);
  const placeOf = await placesIn(file, contract.text);
  // Whether its limits are those of the code can be told of our own document alone.
  const checks = CHECKS.filter((check) => check !== 'limits' || isShop(contract));
  const found = (await documentFindings(path)).filter(({ check }) => checks.includes(check));
  const own = found.map(({ check, pointer, said }) => failureOf(file, check, said, placeOf(pointer)));
  const { broken, notes } = await changesSince(path, contract.document, against);
  const failures = [...own, ...broken.map(({ said, pointer }) => failureOf(file, 'changes', said, placeOf(pointer)))];
  const rows = [...checks, ...(notes.isCompared ? ['changes'] : [])].map((status): Row => {
    const wrong = failures.filter((failure) => failure.status === status).length;
    return { operationId: file, status, counts: { [JUDGE]: { seen: 1, wrong } } };
  });
  return { judges: [JUDGE], rows, failures, notes: notes.told };
}

function failureOf(file: string, check: string, said: string, place: string): Failure {
  return { judge: JUDGE, operationId: file, status: check, rule: `${check}: ${said}`, said, place, steps: [] };
}

interface Changes {
  /** What breaks clients and isn't announced by the version. */
  readonly broken: readonly { readonly said: string; readonly pointer: string }[];
  readonly notes: { readonly isCompared: boolean; readonly told: readonly string[] };
}

/** What has changed since an earlier version; where none is known, and none was asked for, a note says why. */
async function changesSince(path: string, document: Document, against: string | undefined): Promise<Changes> {
  try {
    const { name, text } = await earlierVersion(path, against);
    const before = parseDocument(name, text);
    const changes = changesBetween(before, document);
    const breaking = changes.filter(({ isBreaking }) => isBreaking);
    const isAnnounced = announces(before.info.version, document.info.version);
    const counted = `since ${name}: ${changes.length} changes that clients can notice, ${breaking.length} of them breaking`;
    const announced = breaking.length > 0 && isAnnounced ? [`which version ${document.info.version} announces`] : [];
    const others = changes.filter((change) => isAnnounced || !change.isBreaking).map(({ said }) => `  ${said}`);
    return {
      broken: isAnnounced ? [] : breaking,
      notes: { isCompared: true, told: [[counted, ...announced].join(', '), ...others] },
    };
  } catch (error) {
    if (!(error instanceof AgainstFault) || against !== undefined) throw error;
    return { broken: [], notes: { isCompared: false, told: [`changes were not looked for: ${error.message}`] } };
  }
}

/** Whether a version may break what the one before it promised: the first number that isn't 0 has grown (Semantic Versioning 2.0.0, sections 4 and 8). */
function announces(before: string, after: string): boolean {
  const [old, now] = [before, after].map((version) => version.split('.').map((part) => Number.parseInt(part, 10) || 0));
  const place = Math.max(
    0,
    (now ?? []).findIndex((part) => part > 0),
  );
  return (
    (now ?? []).slice(0, place).every((part, at) => part === (old?.[at] ?? 0)) &&
    (now?.[place] ?? 0) > (old?.[place] ?? 0)
  );
}
