import { ApiGroup } from '@crm/http';
import { Controller } from '@nestjs/common';
import { TASK } from '../core-object/task.object.js';
import { recordController } from '../core-record/record.controller.js';

/** `/api/crm/tasks`: the calls are those of every core object, see `core-record/record.controller.ts`. */
@ApiGroup({ name: 'Tasks', description: 'Work to be done, with a due time and an assignee.' })
@Controller('api/crm/tasks')
export class TaskController extends recordController(TASK) {}
