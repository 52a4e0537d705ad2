import { Controller } from '@nestjs/common';
import { recordController } from '../core-record/record.controller.js';
import { COMPANY } from './company.object.js';

/** `/api/crm/companies`: the calls are those of every core object, see `core-record/record.controller.ts`. */
@Controller('api/crm/companies')
export class CompanyController extends recordController(COMPANY) {}
