/** Returns the number of units in the cart. `init`: options of `fetch`. */
export async function countUnits(init) {
  const response = await fetch(`${process.env.API_URL}/api/cart-items`, init);
  return (await response.json()).reduce((units, { quantity }) => units + quantity, 0);
}
