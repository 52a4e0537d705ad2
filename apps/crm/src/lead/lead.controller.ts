import { ApiGroup } from '@crm/http';
import { Controller } from '@nestjs/common';
import { LEAD } from '../core-object/lead.object.js';
import { recordController } from '../core-record/record.controller.js';

/** `/api/crm/leads`: the calls are those of every core object, see `core-record/record.controller.ts`. */
@ApiGroup({ name: 'Leads', description: 'People who may become customers.' })
@Controller('api/crm/leads')
export class LeadController extends recordController(LEAD) {}
