import { ApiGroup } from '@crm/http';
import { Controller } from '@nestjs/common';
import { standardRecordController } from './standard-record.controller.js';

/** `/api/crm/contacts`: the calls are those of every standard object. */
@ApiGroup({ name: 'Contacts', description: 'People at the companies a tenant works with.' })
@Controller('api/crm/contacts')
export class ContactController extends standardRecordController('contact') {}
