import { Access, CurrentPrincipal } from '@crm/access';
import { type Principal } from '@crm/context';
import { Describe } from '@crm/http';
import { Controller, Get, Param } from '@nestjs/common';
import { ObjectListView, ObjectView } from './object.dto.js';
import { ObjectService } from './object.service.js';

@Controller('api/crm/custom')
export class ObjectController {
  constructor(private readonly objects: ObjectService) {}

  @Get()
  @Access({ right: 'read', scope: 'custom_objects' })
  @Describe({
    summary: 'Lists the custom objects with the fields the caller may read',
    answers: [{ status: 200, description: 'The objects', body: () => ObjectListView }],
  })
  async list(@CurrentPrincipal() principal: Principal): Promise<ObjectListView> {
    return { data: await this.objects.list(principal) };
  }

  @Get(':apiName')
  @Access({ right: 'read', scope: 'custom_objects' })
  @Describe({
    summary: 'Reads the definition of a custom object',
    answers: [{ status: 200, description: 'The object', body: () => ObjectView }],
  })
  get(@CurrentPrincipal() principal: Principal, @Param('apiName') apiName: string): Promise<ObjectView> {
    return this.objects.get(principal, apiName);
  }
}
