import { tasksApi } from '../support/planted-defects/apis/tasks.ts';
import { testPlantedDefects } from '../support/planted-defects/apis/test-planted-defects.ts';

testPlantedDefects('tasks', tasksApi);
