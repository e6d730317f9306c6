import { type Document, isNode } from '../../../src/openapi/document.ts';
import type { Change } from './change.ts';

/** Returns the changes of the server URLs. A removed URL is breaking, because older clients use it. */
export function serverChanges(before: Document, after: Document): readonly Change[] {
  const [old, now] = [before, after].map(getServerUrls);
  const gone = (old ?? []).filter((url) => !now?.includes(url));
  const gained = (now ?? []).filter((url) => !old?.includes(url));
  const change = (url: string, isBreaking: boolean, words: string): Change => {
    return {
      isBreaking,
      direction: 'both',
      pointer: '/servers',
      operation: undefined,
      message: `server ${url} ${words}`,
    };
  };
  return [
    ...gone.map((url) => change(url, true, 'is removed: requests to this server may fail')),
    ...gained.map((url) => change(url, false, 'is new: clients can still use the other servers')),
  ];
}

/** Returns the server URLs; "/" if the document has none (OpenAPI 3.0, OpenAPI Object). */
function getServerUrls({ servers }: Document): readonly string[] {
  const urls = (servers ?? []).flatMap((server) =>
    isNode(server) ? [String(server.url).replace(/(?<=.)\/$/, '')] : [],
  );
  return urls.length > 0 ? urls : ['/'];
}
