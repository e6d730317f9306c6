import { env } from '$env/dynamic/private';

export async function load({ fetch }) {
  const response = await fetch(`${env.API_URL}/api/cart-items`);
  return { units: (await response.json()).reduce((units, { quantity }) => units + quantity, 0) };
}
