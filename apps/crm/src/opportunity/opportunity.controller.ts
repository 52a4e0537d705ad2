import { ApiGroup } from '@crm/http';
import { Controller } from '@nestjs/common';
import { OPPORTUNITY } from '../core-object/opportunity.object.js';
import { recordController } from '../core-record/record.controller.js';

/** `/api/crm/opportunities`: the calls are those of every core object, see `core-record/record.controller.ts`. */
@ApiGroup({ name: 'Opportunities', description: 'Deals in the pipeline. Their events carry the domain `deal`.' })
@Controller('api/crm/opportunities')
export class OpportunityController extends recordController(OPPORTUNITY) {}
