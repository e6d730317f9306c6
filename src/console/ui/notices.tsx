import type { Notices } from '../model/notices.ts';
import { useObservable } from './hooks.ts';

/** The list of messages about the results of actions. Screen readers announce new messages. */
export function NoticeList({ notices }: { readonly notices: Notices }) {
  const shown = useObservable(notices.shown);
  return (
    <div class="notices" role="status">
      {shown.map(({ id, text, isError }) => (
        <div key={id} class={isError ? 'notice notice-error' : 'notice'}>
          <span>{text}</span>
          <button type="button" class="quiet" aria-label="Hide the message" onClick={() => notices.hide(id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
