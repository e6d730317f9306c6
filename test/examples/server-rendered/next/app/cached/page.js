import { connection } from 'next/server';
import { countUnits } from '../units.js';

export default async function Page() {
  await connection();
  return <p id="units">{await countUnits({ next: { revalidate: 3600 } })}</p>;
}
