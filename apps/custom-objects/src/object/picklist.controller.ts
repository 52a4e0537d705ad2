import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, IdParam } from '@crm/http';
import { Body, Controller, Delete, Get, Param, Patch, Post, Put, Query } from '@nestjs/common';
import { ObjectCatalogueQuery } from './object-catalogue.dto.js';
import {
  ChangePipelineInput,
  CreatePipelineInput,
  OptionsInput,
  OptionsView,
  PipelineListView,
  PipelineView,
} from './picklist.dto.js';
import { PicklistService } from './picklist.service.js';

/** The scope is that of the object: the service requires it. */
const READ = { right: 'read', embed: true, app: true, key: true } as const;
const GROUP = {
  name: 'Picklists',
  description: 'The options of standard picklists and the stages of deals, which belong to the workspace.',
};
const CHANGE = { right: 'administer', proof: false } as const;

@ApiGroup(GROUP)
@Controller('api/crm/objects/:apiName/fields/:field/options')
export class OptionController {
  constructor(private readonly picklists: PicklistService) {}

  @Get()
  @Access(READ)
  @Describe({
    summary: 'Lists the options of a standard picklist',
    description:
      'Status and source of leads, priority of tasks; stages of opportunities are those of all pipelines. Retired options are among them.',
    answers: [{ status: 200, description: 'The options', body: () => OptionsView }],
    errors: ['NOT_FOUND'],
  })
  list(
    @CurrentPrincipal() principal: Principal,
    @Param('apiName') apiName: string,
    @Param('field') field: string,
    @Query() { language }: ObjectCatalogueQuery,
  ): Promise<OptionsView> {
    return this.picklists.options(principal, apiName, field, language);
  }

  @Put()
  @Access(CHANGE)
  @Describe({
    summary: 'Replaces the options of a standard picklist',
    description:
      'In force for every write from now on. An option that is left out is removed, unless records have it: it can be retired then.',
    answers: [{ status: 200, description: 'The options', body: () => OptionsView }],
    errors: ['NOT_FOUND', 'VALIDATION_FAILED'],
  })
  replace(
    @CurrentPrincipal() principal: Principal,
    @Param('apiName') apiName: string,
    @Param('field') field: string,
    @Body() input: OptionsInput,
  ): Promise<OptionsView> {
    return this.picklists.replace(principal, apiName, field, input);
  }
}

@ApiGroup(GROUP)
@Controller('api/crm/pipelines')
export class PipelineController {
  constructor(private readonly picklists: PicklistService) {}

  @Get()
  @Access({ ...READ, scope: 'pipeline' })
  @Describe({
    summary: 'Lists the pipelines',
    description: 'With their stages. A new deal whose stage is not said begins in the first.',
    answers: [{ status: 200, description: 'The pipelines', body: () => PipelineListView }],
  })
  async list(
    @CurrentPrincipal() principal: Principal,
    @Query() { language }: ObjectCatalogueQuery,
  ): Promise<PipelineListView> {
    return { data: await this.picklists.pipelines(principal, language) };
  }

  @Post()
  @Access(CHANGE)
  @Describe({
    summary: 'Creates a pipeline',
    description: 'It comes after those that there are.',
    answers: [{ status: 201, description: 'The pipeline', body: () => PipelineView }],
    errors: ['VALIDATION_FAILED'],
  })
  create(@CurrentPrincipal() principal: Principal, @Body() input: CreatePipelineInput): Promise<PipelineView> {
    return this.picklists.create(principal, input);
  }

  @Patch(':id')
  @Access(CHANGE)
  @Describe({
    summary: 'Changes a pipeline',
    description:
      'Stages are replaced together. One that is left out is removed, unless records are in it: it can be retired then. The status of the deals in a stage stays when its meaning changes.',
    answers: [{ status: 200, description: 'The pipeline', body: () => PipelineView }],
    errors: ['VALIDATION_FAILED'],
  })
  change(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: string,
    @Body() input: ChangePipelineInput,
  ): Promise<PipelineView> {
    return this.picklists.changePipeline(principal, id, input);
  }

  @Delete(':id')
  @Access(CHANGE)
  @Describe({
    summary: 'Deletes a pipeline',
    description: 'Only while no record is in its stages, and there is another one.',
    answers: [{ status: 204, description: 'The pipeline is deleted' }],
    errors: ['CONFLICT'],
  })
  delete(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    return this.picklists.delete(principal, id);
  }
}
