import { createPlantedApi } from '../support/planted-defects/apis/api-variants.ts';
import { testPlantedDefects } from '../support/planted-defects/apis/planted-api.ts';
import { tasksApi } from '../support/planted-defects/apis/tasks.ts';

testPlantedDefects(createPlantedApi('tasks', tasksApi));
