import { ApiGroup } from '@crm/http';
import { Controller } from '@nestjs/common';
import { standardRecordController } from './standard-record.controller.js';

/** `/api/crm/tasks`: the calls are those of every standard object. */
@ApiGroup({ name: 'Tasks', description: 'Work to be done, with a due time and an assignee.' })
@Controller('api/crm/tasks')
export class TaskController extends standardRecordController('task') {}
