import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { ObjectListView, ObjectView } from './object.dto.js';
import { ObjectService } from './object.service.js';

@ApiTags('Custom objects')
@Controller('api/crm/custom')
export class ObjectController {
  constructor(private readonly objects: ObjectService) {}

  @Get()
  @Access({ right: 'read', scope: 'custom_objects' })
  @ApiOkResponse({ type: ObjectListView })
  async list(@CurrentPrincipal() principal: Principal): Promise<ObjectListView> {
    return { data: await this.objects.list(principal) };
  }

  @Get(':apiName')
  @Access({ right: 'read', scope: 'custom_objects' })
  @ApiOkResponse({ type: ObjectView })
  get(@CurrentPrincipal() principal: Principal, @Param('apiName') apiName: string): Promise<ObjectView> {
    return this.objects.get(principal, apiName);
  }
}
