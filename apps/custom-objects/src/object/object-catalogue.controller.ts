import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe } from '@crm/http';
import { Controller, Get, Header, Param, Query } from '@nestjs/common';
import {
  CATALOGUE_EXAMPLE,
  CatalogueObjectView,
  CatalogueView,
  JSON_TYPE,
  ObjectCatalogueQuery,
} from './object-catalogue.dto.js';
import { ObjectCatalogueService } from './object-catalogue.service.js';

@ApiGroup({ name: 'Objects', description: 'Standard objects and the custom objects that apps add.' })
@Controller('api/crm/objects')
// The scope depends on the object: the service leaves out those whose scope the token lacks.
@Access({ right: 'read', embed: true, app: true, key: true })
export class ObjectCatalogueController {
  constructor(private readonly catalogue: ObjectCatalogueService) {}

  @Get()
  @Header('content-type', JSON_TYPE)
  @Describe({
    summary: 'List standard and custom objects',
    description:
      "Includes what a page needs to show lists and forms. Objects outside the token's scopes and fields that the caller can't read are left out.",
    answers: [
      { status: 200, description: 'The objects', body: () => CatalogueView, example: { data: [CATALOGUE_EXAMPLE] } },
    ],
  })
  async list(@CurrentPrincipal() principal: Principal, @Query() { language }: ObjectCatalogueQuery): Promise<string> {
    return `{"data":[${(await this.catalogue.list(principal, language)).join()}]}`;
  }

  @Get(':apiName')
  @Header('content-type', JSON_TYPE)
  @Describe({
    summary: 'Get an object',
    description: 'The same data as in the list.',
    answers: [{ status: 200, description: 'The object', body: () => CatalogueObjectView, example: CATALOGUE_EXAMPLE }],
    errors: ['NOT_FOUND'],
  })
  get(
    @CurrentPrincipal() principal: Principal,
    @Param('apiName') apiName: string,
    @Query() { language }: ObjectCatalogueQuery,
  ): Promise<string> {
    return this.catalogue.get(principal, apiName, language);
  }
}
