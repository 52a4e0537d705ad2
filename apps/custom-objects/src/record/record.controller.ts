import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { headerCall, IdempotencyKey } from '@crm/database';
import { Describe, type ExpectedVersions, IdParam, IfMatch } from '@crm/http';
import { Body, Delete, Get, Inject, Patch, Post, Query, Res } from '@nestjs/common';
import { GetRecordQuery, ListRecordsQuery, type Reply, shown, shownList } from './record.dto.js';
import { RecordService } from './record.service.js';
import { controllersOf, type RecordRoutes } from './record-routes.js';

/** The five routes of records. */
function recordController({ scope, ObjectName, pathOf, record, texts }: RecordRoutes) {
  const read = { right: 'read', scope } as const;
  const write = { right: 'write', scope } as const;

  class RoutesOfRecords {
    constructor(@Inject(RecordService) readonly records: RecordService) {}

    @Get()
    @Access(read)
    @Describe({ ...texts.list, errors: ['QUERY_TOO_EXPENSIVE'], answers: [{ status: 200, ...record, list: true }] })
    async list(
      @CurrentPrincipal() principal: Principal,
      @ObjectName() apiName: string,
      @Query() query: ListRecordsQuery,
      @Res({ passthrough: true }) reply: Reply,
    ): Promise<string> {
      return shownList(reply, await this.records.list(principal, apiName, query));
    }

    @Post()
    @Access(write)
    @Describe({ ...texts.create, answers: [{ status: 201, ...record }] })
    async create(
      @CurrentPrincipal() principal: Principal,
      @ObjectName() apiName: string,
      @Body() body: Record<string, unknown>,
      @IdempotencyKey() key: string | undefined,
      @Res({ passthrough: true }) reply: Reply,
    ): Promise<string> {
      const call = headerCall(principal, `POST /${pathOf(apiName)}`, key, body);
      return shown(reply, await this.records.create(principal, apiName, body, call));
    }

    @Get(':id')
    @Access(read)
    @Describe({ ...texts.get, answers: [{ status: 200, ...record }] })
    async get(
      @CurrentPrincipal() principal: Principal,
      @ObjectName() apiName: string,
      @IdParam() id: string,
      @Query() { expand }: GetRecordQuery,
      @Res({ passthrough: true }) reply: Reply,
    ): Promise<string> {
      return shown(reply, await this.records.get(principal, apiName, id, expand));
    }

    @Patch(':id')
    @Access(write)
    @Describe({ ...texts.update, answers: [{ status: 200, ...record }] })
    async update(
      @CurrentPrincipal() principal: Principal,
      @ObjectName() apiName: string,
      @IdParam() id: string,
      @Body() body: Record<string, unknown>,
      @IfMatch() expected: ExpectedVersions,
      @Res({ passthrough: true }) reply: Reply,
    ): Promise<string> {
      return shown(reply, await this.records.update(principal, apiName, id, body, expected));
    }

    @Delete(':id')
    @Access(write)
    @Describe({ ...texts.delete, answers: [{ status: 204, description: 'The record is deleted' }] })
    delete(
      @CurrentPrincipal() principal: Principal,
      @ObjectName() apiName: string,
      @IdParam() id: string,
      @IfMatch() expected: ExpectedVersions,
    ): Promise<void> {
      return this.records.delete(principal, apiName, id, expected);
    }
  }

  return RoutesOfRecords;
}

export const recordControllers = controllersOf('', recordController);
