import { render } from 'preact';
import './styles/base.css';
import './styles/form-elements.css';
import './styles/shell.css';
import './styles/requests.css';
import './styles/details.css';
import './styles/explanation.css';
import './styles/empty-state.css';
import './styles/entries.css';
import './styles/state.css';
import './styles/editor.css';
import './styles/control.css';
import './styles/coverage.css';
import { createControlApi } from './api/control-api.ts';
import { Session } from './api/session.ts';
import { App } from './app.tsx';
import type { Console } from './model/console.ts';
import { Notices, Observable } from './model/observable.ts';
import { OwnChanges } from './model/own-changes.ts';
import { RequestList } from './model/request-list.ts';
import { Router } from './model/router.ts';
import { ConsoleContext } from './ui/hooks.ts';

const session = new Session();
const ownChanges = new OwnChanges();
const parts: Console = {
  session,
  ownChanges,
  api: ownChanges.watch(createControlApi(session)),
  router: new Router(),
  requests: new RequestList(),
  notices: new Notices(),
  connection: new Observable({ state: 'connecting', count: 0 }),
  server: new Observable(undefined),
};

const root = document.getElementById('console');
if (root)
  render(
    <ConsoleContext.Provider value={parts}>
      <App />
    </ConsoleContext.Provider>,
    root,
  );
