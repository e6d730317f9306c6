import { countUnits } from './units.js';

export const dynamic = 'force-dynamic';

export default async function Page() {
  return <p id="units">{await countUnits({ cache: 'no-store' })}</p>;
}
