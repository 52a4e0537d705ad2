import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe } from '@crm/http';
import { Body, Controller, Get, Param, Put } from '@nestjs/common';
import { ObjectListView, ObjectView, ShareInput, ShareListView, ShareView } from './object.dto.js';
import { ObjectCatalogueService } from './object-catalogue.service.js';
import { ShareService } from './share.service.js';

export const CUSTOM_GROUP = {
  name: 'Custom objects',
  description: 'Definitions of the objects that apps bring, and their records.',
};

@ApiGroup(CUSTOM_GROUP)
@Controller('api/crm/custom')
@Access({ right: 'read', scope: 'custom_objects' })
export class ObjectController {
  constructor(private readonly catalogue: ObjectCatalogueService) {}

  @Get()
  @Describe({
    summary: 'Lists the custom objects of the workspace',
    description: 'Fields that the caller cannot read are left out.',
    answers: [{ status: 200, description: 'The objects', body: () => ObjectListView }],
  })
  async list(@CurrentPrincipal() principal: Principal): Promise<ObjectListView> {
    return { data: await this.catalogue.listCustom(principal) };
  }

  @Get(':apiName')
  @Describe({
    summary: 'Returns the definition of a custom object',
    description: 'Fields that the caller cannot read are left out.',
    answers: [{ status: 200, description: 'The object', body: () => ObjectView }],
  })
  get(@CurrentPrincipal() principal: Principal, @Param('apiName') apiName: string): Promise<ObjectView> {
    return this.catalogue.getCustom(principal, apiName);
  }
}

@ApiGroup(CUSTOM_GROUP)
@Controller('api/crm/custom/:apiName/apps')
@Access({ right: 'administer', proof: false })
export class ShareController {
  constructor(private readonly shares: ShareService) {}

  @Get()
  @Describe({
    summary: 'Lists the apps that an object is shared with',
    description: 'The app that the object belongs to is not among them: it always reads and writes the records.',
    answers: [{ status: 200, description: 'The shares', body: () => ShareListView }],
  })
  async list(@CurrentPrincipal() principal: Principal, @Param('apiName') apiName: string): Promise<ShareListView> {
    return { data: await this.shares.list(principal, apiName) };
  }

  @Put(':key')
  @Describe({
    summary: 'Shares an object with another app',
    description:
      "By default an app sees none of the objects of other apps, neither through the API nor in events. The app's scopes and the fields' roles still apply. The app is one of the marketplace or of your workspace; it does not have to be installed yet.",
    answers: [{ status: 200, description: 'The share', body: () => ShareView }],
  })
  set(
    @CurrentPrincipal() principal: Principal,
    @Param('apiName') apiName: string,
    @Param('key') key: string,
    @Body() { access }: ShareInput,
  ): Promise<ShareView> {
    return this.shares.set(principal, apiName, key, access);
  }
}
