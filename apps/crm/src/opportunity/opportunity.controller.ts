import { ApiGroup } from '@crm/http';
import { Controller } from '@nestjs/common';
import { recordController } from '../core-record/record.controller.js';
import { OPPORTUNITY } from './opportunity.object.js';

/** `/api/crm/opportunities`: the calls are those of every core object, see `core-record/record.controller.ts`. */
@ApiGroup({ name: 'Opportunities', description: 'Deals in the pipeline. Their events carry the domain `deal`.' })
@Controller('api/crm/opportunities')
export class OpportunityController extends recordController(OPPORTUNITY) {}
