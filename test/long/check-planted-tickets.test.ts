import { testPlantedDefects } from '../support/planted-defects/apis/test-planted-defects.ts';
import { ticketsApi } from '../support/planted-defects/apis/tickets.ts';

testPlantedDefects('tickets', ticketsApi);
