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
  description: 'The options of standard picklists and the pipelines of deals, which each workspace can change.',
};
const CHANGE = { right: 'administer', proof: false } as const;

@ApiGroup(GROUP)
@Controller('api/crm/objects/:apiName/fields/:field/options')
export class OptionController {
  constructor(private readonly picklists: PicklistService) {}

  @Get()
  @Access(READ)
  @Describe({
    summary: 'List the options of a picklist',
    description:
      'Status and source of leads, priority of tasks, and stages of opportunities across all pipelines. Includes inactive options.',
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
    summary: 'Replace the options of a picklist',
    description:
      "Applies to every later write. An option you leave out is removed. An option that records still use can't be removed; make it inactive instead.",
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
    summary: 'List pipelines',
    description: 'Includes their stages. A new deal starts in the first stage unless it names one.',
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
    summary: 'Create a pipeline',
    description: 'The new pipeline is added last.',
    answers: [{ status: 201, description: 'The pipeline', body: () => PipelineView }],
    errors: ['VALIDATION_FAILED'],
  })
  create(@CurrentPrincipal() principal: Principal, @Body() input: CreatePipelineInput): Promise<PipelineView> {
    return this.picklists.create(principal, input);
  }

  @Patch(':id')
  @Access(CHANGE)
  @Describe({
    summary: 'Update a pipeline',
    description:
      "Replaces all stages. A stage you leave out is removed. A stage that records still use can't be removed; make it inactive instead. Changing what a stage means doesn't change the status of the deals in it.",
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
    summary: 'Delete a pipeline',
    description: 'Possible only if no record uses its stages and another pipeline exists.',
    answers: [{ status: 204, description: 'The pipeline is deleted' }],
    errors: ['CONFLICT'],
  })
  delete(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    return this.picklists.delete(principal, id);
  }
}
