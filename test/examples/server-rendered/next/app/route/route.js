import { countUnits } from '../units.js';

export const dynamic = 'force-dynamic';

export async function GET() {
  return Response.json({ units: await countUnits({ cache: 'no-store' }) });
}
