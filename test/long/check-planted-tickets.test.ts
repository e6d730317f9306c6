import { createPlantedApi } from '../support/planted-defects/apis/api-variants.ts';
import { testPlantedDefects } from '../support/planted-defects/apis/planted-api.ts';
import { ticketsApi } from '../support/planted-defects/apis/tickets.ts';

testPlantedDefects(createPlantedApi('tickets', ticketsApi));
