import type { HttpServer } from '../http/server.ts';
import type { Sandboxes } from '../sandbox/registry.ts';
import type { OpenedState } from '../store/open-state.ts';
import { type ReloadedFile, reloadOnSave } from './file-watcher.ts';
import { describeExposure, isLoopback } from './listen.ts';
import { HANDLERS_KEPT, type LiveService, MAX_WARM_ROUTES } from './live-service.ts';
import type { Storefront } from './options.ts';
import type { Files, Runtime } from './runtime.ts';
import { formatStartMessage } from './start-message.ts';
import { warmUp } from './warm-up.ts';

/** What a running server is made of. */
export interface RunningParts {
  readonly url: string;
  readonly port: number;
  readonly state: OpenedState;
  readonly live: LiveService;
  readonly server: HttpServer;
  readonly files: Files;
  readonly sandboxes: Sandboxes;
}

/** Logs the start, warms up, and watches the files that are reloaded. */
export function run(runtime: Runtime, { url, port, state, live, server, files, sandboxes }: RunningParts): Storefront {
  const { options, log, tell, stopping } = runtime;
  const { path: dataFile, store } = state;
  const durability = dataFile === undefined ? 'memory' : (options.durability ?? 'disk');
  const { contract } = live.service;
  if (contract.warning !== undefined) tell.warn(contract.warning);
  const facts = { url, dataFile, durability, operations: contract.routes.length, mocked: live.service.mocked };
  log.info(facts, formatStartMessage(facts));
  if (!isLoopback(options.host)) tell.warn(describeExposure(options));
  const stops = [warmUp(listWarmUps(runtime, state, live)), reloadOnSave(listReloads(files, live), tell.warn)];
  return {
    url,
    port,
    dataFile,
    durability,
    get operations() {
      return live.service.contract.routes.length;
    },
    get mocked() {
      return live.service.mocked;
    },
    async close() {
      for (const stop of stops) stop();
      stopping.abort();
      await server.close();
      await sandboxes.close();
      await store.close();
    },
  };
}

function listWarmUps({ application }: Runtime, { store }: OpenedState, live: LiveService): readonly (() => void)[] {
  const { contract } = live.service;
  const { registry } = live;
  return [
    () => application.prepare?.(store.read().state),
    ...contract.routes
      .slice(0, MAX_WARM_ROUTES)
      .map((route) => () => contract.warmUp(route, { closed: registry.isImplemented(route) })),
  ];
}

function listReloads({ contract, handlers }: Files, live: LiveService): readonly ReloadedFile[] {
  const kept = 'The previous contract stays in use';
  return [
    { ...contract, reload: live.reloadContract, fallback: kept },
    ...(handlers ? [{ ...handlers, reload: live.reloadHandlers, fallback: HANDLERS_KEPT }] : []),
  ];
}
