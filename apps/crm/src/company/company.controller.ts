import { ApiGroup } from '@crm/http';
import { Controller } from '@nestjs/common';
import { COMPANY } from '../core-object/company.object.js';
import { recordController } from '../core-record/record.controller.js';

/** `/api/crm/companies`: the calls are those of every core object, see `core-record/record.controller.ts`. */
@ApiGroup({ name: 'Companies', description: 'Organisations that contacts and opportunities belong to.' })
@Controller('api/crm/companies')
export class CompanyController extends recordController(COMPANY) {}
