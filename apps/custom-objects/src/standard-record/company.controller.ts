import { ApiGroup } from '@crm/http';
import { Controller } from '@nestjs/common';
import { standardRecordController } from './standard-record.controller.js';

/** `/api/crm/companies`: the calls are those of every standard object. */
@ApiGroup({ name: 'Companies', description: 'Organisations that contacts and opportunities belong to.' })
@Controller('api/crm/companies')
export class CompanyController extends standardRecordController('company') {}
