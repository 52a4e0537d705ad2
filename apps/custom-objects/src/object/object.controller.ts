import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe } from '@crm/http';
import { Body, Controller, Get, Param, Put } from '@nestjs/common';
import { ObjectListView, ObjectView, ShareInput, ShareListView, ShareView } from './object.dto.js';
import { ObjectCatalogueService } from './object-catalogue.service.js';
import { ShareService } from './share.service.js';

export const CUSTOM_GROUP = {
  name: 'Custom objects',
  description: 'Objects that apps add, and their records.',
};

@ApiGroup(CUSTOM_GROUP)
@Controller('api/crm/custom')
@Access({ right: 'read', scope: 'custom_objects' })
export class ObjectController {
  constructor(private readonly catalogue: ObjectCatalogueService) {}

  @Get()
  @Describe({
    summary: 'List custom objects',
    description: "Fields that the caller can't read are left out.",
    answers: [{ status: 200, description: 'The objects', body: () => ObjectListView }],
  })
  async list(@CurrentPrincipal() principal: Principal): Promise<ObjectListView> {
    return { data: await this.catalogue.listCustom(principal) };
  }

  @Get(':apiName')
  @Describe({
    summary: 'Get a custom object',
    description: "Fields that the caller can't read are left out.",
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
    summary: 'List the shares of an object',
    description: "The app that owns the object isn't listed: it can always read and write the records.",
    answers: [{ status: 200, description: 'The shares', body: () => ShareListView }],
  })
  async list(@CurrentPrincipal() principal: Principal, @Param('apiName') apiName: string): Promise<ShareListView> {
    return { data: await this.shares.list(principal, apiName) };
  }

  @Put(':key')
  @Describe({
    summary: 'Share an object with another app',
    description:
      "By default an app can't see other apps' objects, neither through the API nor in events. The app's scopes and the fields' roles still apply. The app must be in the marketplace or belong to your workspace; it doesn't have to be installed yet.",
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
