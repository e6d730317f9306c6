import { startClinic } from '../support/planted-defects/apis/clinic.ts';
import { createClinicDocument } from '../support/planted-defects/apis/clinic-document.ts';
import { CLINIC_DEFECTS, CLINIC_HABITS, CLINIC_HEADERS } from '../support/planted-defects/apis/clinic-variants.ts';
import { testPlantedDefects } from '../support/planted-defects/apis/planted-api.ts';

testPlantedDefects({
  name: 'a clinic',
  headers: CLINIC_HEADERS,
  defects: CLINIC_DEFECTS,
  habits: CLINIC_HABITS,
  describe: createClinicDocument,
  start: startClinic,
});
