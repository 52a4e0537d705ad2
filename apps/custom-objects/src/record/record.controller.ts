import { Access, CurrentPrincipal, type Principal } from '@crm/access';

import { PlatformError } from '@crm/contracts';
import { headerCall, IdempotencyKey } from '@crm/database';
import { ApiGroup, Describe, type ExpectedVersions, IdParam, IfMatch } from '@crm/http';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { standardObjectNamed } from '../object/standard-objects.js';
import { ListRecordsQuery, RecordHeadView, type Reply, shown, shownList } from './record.dto.js';

import { RecordService } from './record.service.js';

const READ = { right: 'read', scope: 'custom_objects' } as const;
const WRITE = { right: 'write', scope: 'custom_objects' } as const;
const RECORD = { description: 'The record with the fields that the caller can read', body: () => RecordHeadView };

const FIELDS = 'The body has the fields of the object by their api-names. Formulas cannot be written.';
const WRITE_ERRORS = ['FIELD_ACCESS_DENIED', 'UNIQUE_VIOLATION'] as const;

/**
 * The API name of a custom object. Standard objects do not exist here, so that the scope of custom objects cannot reach
 * them.
 */
const CustomObjectName = (): ParameterDecorator => Param('apiName', { transform: customObjectName });

function customObjectName(apiName: string): string {
  if (standardObjectNamed(apiName)) throw new PlatformError('NOT_FOUND', 'There is no such object');
  return apiName;
}

@ApiGroup({
  name: 'Custom objects',
  description: 'Definitions of the objects that apps bring, and their records.',
})
@Controller('api/crm/custom/:apiName/records')
export class RecordController {
  constructor(private readonly records: RecordService) {}

  @Get()
  @Access(READ)
  @Describe({
    summary: 'Lists and searches records',
    description: 'Formulas are computed on read. A field that the caller cannot read is treated like an unknown one.',
    errors: ['QUERY_TOO_EXPENSIVE'],
    answers: [{ status: 200, ...RECORD, list: true }],
  })
  async list(
    @CurrentPrincipal() principal: Principal,
    @CustomObjectName() apiName: string,
    @Query() query: ListRecordsQuery,
    @Res({ passthrough: true }) reply: Reply,
  ): Promise<string> {
    return shownList(reply, await this.records.list(principal, apiName, query));
  }

  @Post()
  @Access(WRITE)
  @Describe({
    summary: 'Creates a record',
    description: FIELDS,
    errors: WRITE_ERRORS,
    answers: [{ status: 201, ...RECORD }],
  })
  async create(
    @CurrentPrincipal() principal: Principal,
    @CustomObjectName() apiName: string,
    @Body() body: Record<string, unknown>,
    @IdempotencyKey() key: string | undefined,
    @Res({ passthrough: true }) reply: Reply,
  ): Promise<string> {
    const call = headerCall(principal, `POST /api/crm/custom/${apiName}/records`, key, body);
    return shown(reply, await this.records.create(principal, apiName, body, call));
  }

  @Get(':id')
  @Access(READ)
  @Describe({
    summary: 'Returns a record',
    description: 'Formulas are computed on read; fields that the caller cannot read are left out.',
    answers: [{ status: 200, ...RECORD }],
  })
  async get(
    @CurrentPrincipal() principal: Principal,
    @CustomObjectName() apiName: string,
    @IdParam() id: string,
    @Res({ passthrough: true }) reply: Reply,
  ): Promise<string> {
    return shown(reply, await this.records.get(principal, apiName, id));
  }

  @Patch(':id')
  @Access(WRITE)
  @Describe({
    summary: 'Changes fields of a record',
    description: FIELDS,
    errors: WRITE_ERRORS,
    answers: [{ status: 200, ...RECORD }],
  })
  async update(
    @CurrentPrincipal() principal: Principal,
    @CustomObjectName() apiName: string,
    @IdParam() id: string,
    @Body() body: Record<string, unknown>,
    @IfMatch() expected: ExpectedVersions,
    @Res({ passthrough: true }) reply: Reply,
  ): Promise<string> {
    return shown(reply, await this.records.update(principal, apiName, id, body, expected));
  }

  @Delete(':id')
  @HttpCode(204)
  @Access(WRITE)
  @Describe({
    summary: 'Deletes a record',
    description: 'The record is no longer returned by any call.',
    answers: [{ status: 204, description: 'The record is deleted' }],
  })
  delete(
    @CurrentPrincipal() principal: Principal,
    @CustomObjectName() apiName: string,
    @IdParam() id: string,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<void> {
    return this.records.delete(principal, apiName, id, expected);
  }
}
