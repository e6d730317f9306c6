import { useConsole, useLoaded, useObservable } from './hooks.ts';

/** Loads the operations of the contract. Each operation says whether the current sandbox mocks it. */
export function useOperations() {
  const { api, router, server } = useConsole();
  const { sandbox } = useObservable(router.route);
  const reloads = useObservable(server)?.contract.reloads ?? 0;
  return useLoaded(`operations ${sandbox} ${reloads}`, () => api.send('listOperations', { path: { id: sandbox } }));
}
