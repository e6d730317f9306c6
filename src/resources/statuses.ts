import type { Plan } from './resource.ts';

/** Returns `status` if the contract documents it for the operation, and otherwise the operation's success status. */
export function getStatus({ route }: Plan, status: number): number {
  return route.responses.some(({ name }) => name === String(status)) ? status : route.successStatus;
}

/** Returns the first documented 2xx status except `status`. If there is none, returns the operation's success status. */
export function getOtherStatus({ route }: Plan, status: number): number {
  const others = route.responses.map(({ name }) => Number(name)).filter((name) => name >= 200 && name < 300);
  return others.find((name) => name !== status) ?? route.successStatus;
}
