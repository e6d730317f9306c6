/** Returns a name in lower case without separators, for comparisons: `pet_id` and `petId` are the same name. */
export function normalizeName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}
