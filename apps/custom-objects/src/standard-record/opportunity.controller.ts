import { ApiGroup } from '@crm/http';
import { Controller } from '@nestjs/common';
import { standardRecordController } from './standard-record.controller.js';

/** `/api/crm/opportunities`: the calls are those of every standard object. */
@ApiGroup({ name: 'Opportunities', description: 'Deals in the pipeline. Their events carry the domain `deal`.' })
@Controller('api/crm/opportunities')
export class OpportunityController extends standardRecordController('opportunity') {}
