import type { Plan } from './resource.ts';

/** Returns `status` if the contract documents it for the operation, else the success status of the operation. */
export function getStatus({ route }: Plan, status: number): number {
  return route.responses.some(({ name }) => name === String(status)) ? status : route.successStatus;
}

/** Returns the first documented 2xx status other than `status`. If there is none, returns the success status of the operation. */
export function getOtherStatus({ route }: Plan, status: number): number {
  const others = route.responses.map(({ name }) => Number(name)).filter((name) => name >= 200 && name < 300);
  return others.find((name) => name !== status) ?? route.successStatus;
}
