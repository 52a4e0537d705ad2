import { ApiGroup } from '@crm/http';
import { Controller } from '@nestjs/common';
import { standardRecordController } from './standard-record.controller.js';

/** `/api/crm/leads`: the calls are those of every standard object. */
@ApiGroup({ name: 'Leads', description: 'People who may become customers.' })
@Controller('api/crm/leads')
export class LeadController extends standardRecordController('lead') {}
