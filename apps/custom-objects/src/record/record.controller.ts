import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { headerCall, IdempotencyKey } from '@crm/database';
import { Describe, type ExpectedVersions, IdParam, IfMatch } from '@crm/http';
import { Body, Delete, Get, Header, HttpCode, Inject, Patch, Post, Query, Res } from '@nestjs/common';
import { RecordAggregateService } from '../finding/record-aggregate.service.js';
import { JSON_TYPE } from '../object/object-catalogue.dto.js';
import {
  AGGREGATE,
  AggregateQuery,
  ErasedView,
  GetRecordQuery,
  ListRecordsQuery,
  MergeInput,
  type Reply,
  replyWithList,
  replyWithRecord,
} from './record.dto.js';
import { RecordService } from './record.service.js';
import { BulkInput, BulkView } from './record-bulk.dto.js';
import { type BulkAnswer, RecordBulkService } from './record-bulk.service.js';
import { controllersOf, type RecordRoutes } from './record-routes.js';

/** The routes of records; those with a fixed last part come before those that take any id there. */
function recordController({ scope, ObjectName, pathOf, record, texts }: RecordRoutes) {
  const read = { right: 'read', scope } as const;
  const write = { right: 'write', scope } as const;

  class RoutesOfRecords {
    constructor(
      @Inject(RecordService) readonly records: RecordService,
      @Inject(RecordBulkService) readonly bulks: RecordBulkService,
      @Inject(RecordAggregateService) readonly aggregates: RecordAggregateService,
    ) {}

    @Get('aggregate')
    @Header('content-type', JSON_TYPE)
    @Access(read)
    @Describe({
      summary: 'Aggregate records',
      description:
        'Covers the records of a list with the same filter. Amounts in different currencies are added up unless you group by currency.',
      errors: ['QUERY_TOO_EXPENSIVE'],
      answers: [{ status: 200, description: 'The groups', ...AGGREGATE }],
    })
    aggregate(
      @CurrentPrincipal() principal: Principal,
      @ObjectName() apiName: string,
      @Query() query: AggregateQuery,
    ): Promise<string> {
      return this.aggregates.aggregate(principal, apiName, query);
    }

    @Post('bulk')
    @HttpCode(200)
    @Access(write)
    @Describe({
      summary: 'Write up to 200 records',
      description:
        'Each record follows the rules of the single call and publishes its events. Without `atomic`, each record succeeds or fails on its own; with it, all are written or none. A repeated call with the same `Idempotency-Key` writes only what failed before and returns the earlier results for the rest.',
      errors: ['FIELD_ACCESS_DENIED'],
      answers: [{ status: 200, description: 'The result for each record', body: () => BulkView }],
    })
    bulk(
      @CurrentPrincipal() principal: Principal,
      @ObjectName() apiName: string,
      @Body() input: BulkInput,
      @IdempotencyKey() key: string | undefined,
    ): Promise<BulkAnswer> {
      const call = headerCall(principal, `POST /${pathOf(apiName)}/bulk`, key, input);
      return this.bulks.run(principal, apiName, input, call);
    }

    @Get()
    @Access(read)
    @Describe({ ...texts.list, errors: ['QUERY_TOO_EXPENSIVE'], answers: [{ status: 200, ...record, list: true }] })
    async list(
      @CurrentPrincipal() principal: Principal,
      @ObjectName() apiName: string,
      @Query() query: ListRecordsQuery,
      @Res({ passthrough: true }) reply: Reply,
    ): Promise<string> {
      return replyWithList(reply, await this.records.list(principal, apiName, query));
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
      return replyWithRecord(reply, await this.records.create(principal, apiName, body, call));
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
      return replyWithRecord(reply, await this.records.get(principal, apiName, id, expand));
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
      return replyWithRecord(reply, await this.records.update(principal, apiName, id, body, expected));
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

    @Post(':id/restore')
    @HttpCode(200)
    @Access(write)
    @Describe({
      summary: 'Restore a deleted record',
      description:
        'Also restores the records deleted with it and the references that the deletion cleared, if they are still empty. A reference to a record that no longer exists is cleared, or a 409 if it is required. Publishes `restored`.',
      errors: ['FIELD_ACCESS_DENIED', 'UNIQUE_VIOLATION', 'CONFLICT'],
      answers: [{ status: 200, ...record }],
    })
    async restore(
      @CurrentPrincipal() principal: Principal,
      @ObjectName() apiName: string,
      @IdParam() id: string,
      @Res({ passthrough: true }) reply: Reply,
    ): Promise<string> {
      return replyWithRecord(reply, await this.records.restore(principal, apiName, id));
    }

    @Post(':id/merge')
    @HttpCode(200)
    // Not undone by restoring the other record, which stays in the bin with all that it says.
    @Access({ ...write, key: true })
    @Describe({
      summary: 'Merge two records',
      description:
        "References to the other record are changed to this one, whatever your rights to the referring records are, and the other record moves to the bin. Empty fields of this record and the ones in `fields` take the other record's values; fields you can't both read and write stay unchanged. Publishes `updated` for this record and each referring one, and `deleted` for the other.",
      errors: ['FIELD_ACCESS_DENIED', 'CONFLICT', 'STORAGE_LIMIT_REACHED'],
      answers: [{ status: 200, ...record }],
    })
    async merge(
      @CurrentPrincipal() principal: Principal,
      @ObjectName() apiName: string,
      @IdParam() id: string,
      @Body() input: MergeInput,
      @IfMatch() expected: ExpectedVersions,
      @Res({ passthrough: true }) reply: Reply,
    ): Promise<string> {
      return replyWithRecord(reply, await this.records.merge(principal, apiName, id, input, expected));
    }

    @Post(':id/erase')
    @HttpCode(200)
    @Access({ right: 'administer', scope, app: false, embed: false, key: false, proof: true })
    @Describe({
      summary: 'Permanently delete a record',
      description:
        'Works for records in the bin, too, and includes records merged into it and those its deletion takes or took along. The content is removed from the workspace immediately, and within a minute from events, deliveries, and workflow runs. Waiting deliveries are sent as `deleted` with only the ID. Publishes `deleted` with `erased`.',
      errors: ['CONFLICT'],
      answers: [{ status: 200, description: 'The record is permanently deleted', body: () => ErasedView }],
    })
    async erase(
      @CurrentPrincipal() principal: Principal,
      @ObjectName() apiName: string,
      @IdParam() id: string,
    ): Promise<ErasedView> {
      return { erased: await this.records.erase(principal, apiName, id) };
    }
  }

  return RoutesOfRecords;
}

export const recordControllers = controllersOf('', recordController);
