import { ApiGroup } from '@crm/http';
import { Controller } from '@nestjs/common';
import { CONTACT } from '../core-object/contact.object.js';
import { recordController } from '../core-record/record.controller.js';

/** `/api/crm/contacts`: the calls are those of every core object, see `core-record/record.controller.ts`. */
@ApiGroup({ name: 'Contacts', description: 'People at the companies a tenant works with.' })
@Controller('api/crm/contacts')
export class ContactController extends recordController(CONTACT) {}
