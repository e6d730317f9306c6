import { joinWords, toSingular } from '../util/names.ts';

/** Words of the description of an action, and what it can name. */
interface Description {
  readonly text: string;
  /** The path of the action, such as `/jobs/{jobId}/start`. */
  readonly path: string;
  readonly statuses: readonly string[];
}

/**
 * Returns the statuses in which a resource must be for an action, by the first words of a sentence in its description:
 * `Start an open job.`, `Finish a job that is in progress.`
 * The noun must be that of the resource: `Assign a free driver to a job` says nothing about the status of the job.
 */
export function findDescribedStatuses({ text, path, statuses }: Description): readonly string[] {
  const collection = joinWords(path.split('/{').at(-2)?.split('/').at(-1) ?? '');
  const last = collection.split(' ').at(-1) ?? '';
  if (last === '' || statuses.length === 0) return [];
  const noun = `(?:${collection.replace(/\S+$/, '')})?(?:${last}|${toSingular(last)})`;
  const status = `(?:${statuses.map((one) => joinWords(one)).join('|')})`;
  const list = `(${status}(?: (?:or |and )?(?:an? )?${status})*)`;
  const before = new RegExp(`^[a-z]+ (?:an?|any|one) ${list} ${noun}\\b`);
  const after = new RegExp(
    `^[a-z]+ (?:an?|any|one|the) ${noun} (?:that|which) (?:is|are) (?:still |currently )?${list}$`,
  );
  return text.split(/[.;\n]/).flatMap((sentence) => {
    const words = joinWords(sentence);
    const found = (before.exec(words) ?? after.exec(words))?.[1];
    return found === undefined ? [] : statuses.filter((one) => ` ${found} `.includes(` ${joinWords(one)} `));
  });
}
