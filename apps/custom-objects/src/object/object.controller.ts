import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe } from '@crm/http';
import { Controller, Get, Param } from '@nestjs/common';
import { ObjectListView, ObjectView } from './object.dto.js';
import { ObjectService } from './object.service.js';

@ApiGroup({
  name: 'Custom objects',
  description: 'Definitions of the objects that apps bring, and their records.',
})
@Controller('api/crm/custom')
export class ObjectController {
  constructor(private readonly objects: ObjectService) {}

  @Get()
  @Access({ right: 'read', scope: 'custom_objects' })
  @Describe({
    summary: 'Lists the custom objects of the workspace',
    description: 'Fields that the caller cannot read are left out.',
    answers: [{ status: 200, description: 'The objects', body: () => ObjectListView }],
  })
  async list(@CurrentPrincipal() principal: Principal): Promise<ObjectListView> {
    return { data: await this.objects.list(principal) };
  }

  @Get(':apiName')
  @Access({ right: 'read', scope: 'custom_objects' })
  @Describe({
    summary: 'Returns the definition of a custom object',
    description: 'Fields that the caller cannot read are left out.',
    answers: [{ status: 200, description: 'The object', body: () => ObjectView }],
  })
  get(@CurrentPrincipal() principal: Principal, @Param('apiName') apiName: string): Promise<ObjectView> {
    return this.objects.get(principal, apiName);
  }
}
