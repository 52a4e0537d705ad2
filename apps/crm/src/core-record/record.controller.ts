import { Access, CurrentPrincipal } from '@crm/access';
import { type Principal } from '@crm/context';
import { Describe, type ExpectedVersions, entityTag, IdParam, IfMatch, type ListAnswer } from '@crm/http';
import { headerCall, IdempotencyKey } from '@crm/idempotency';
import { Body, Delete, Get, HttpCode, Inject, Patch, Post, Query, Res } from '@nestjs/common';
import type { CoreObjectDefinition, CoreRecord } from '../core-object/core-object.js';
import { RecordListQuery } from './record.dto.js';
import { inputSchema, recordSchema } from './record.schema.js';
import { RecordService } from './record.service.js';

/** What the routes need of the HTTP answer. */
interface Reply {
  header(name: string, value: string): unknown;
}

/**
 * The controller of a core object: the same calls for each, made from its definition, so that a noun's own controller
 * is its path and its definition.
 */
export function recordController(definition: CoreObjectDefinition) {
  const read = { right: 'read', scope: definition.scope } as const;
  const article = /^[aeiou]/.test(definition.object) ? 'an' : 'a';
  const noun = `${article} ${definition.object}`;
  const record = { description: 'The record', body: recordSchema(definition) };
  const write = { right: 'write', scope: definition.scope } as const;

  class RecordController {
    constructor(@Inject(RecordService) readonly records: RecordService) {}

    @Get()
    @Access(read)
    @Describe({
      summary: `Lists and searches ${definition.path}`,
      description: 'Sorted by `-createdAt` unless `sort` says otherwise.',
      answers: [{ status: 200, ...record, list: true }],
    })
    list(
      @CurrentPrincipal() principal: Principal,
      @Query() parameters: RecordListQuery,
    ): Promise<ListAnswer<CoreRecord>> {
      return this.records.list(definition, principal.tenantId, parameters);
    }

    @Post()
    @Access(write)
    @Describe({
      summary: `Creates ${noun}`,
      description: `Publishes \`${definition.domain}.created\`.`,
      body: inputSchema(definition, 'create'),
      answers: [{ status: 201, ...record }],
    })
    async create(
      @CurrentPrincipal() principal: Principal,
      @Body() body: Record<string, unknown>,
      @IdempotencyKey() key: string | undefined,
      @Res({ passthrough: true }) reply: Reply,
    ): Promise<CoreRecord> {
      const call = headerCall(principal, `POST /api/crm/${definition.path}`, key, body);
      return tagged(reply, await this.records.create(definition, principal, body, call));
    }

    @Get(':id')
    @Access(read)
    @Describe({
      summary: `Returns ${noun}`,
      description: 'The `ETag` of the answer can be sent as `If-Match` with a change.',
      answers: [{ status: 200, ...record }],
    })
    async get(
      @CurrentPrincipal() principal: Principal,
      @IdParam() id: string,
      @Res({ passthrough: true }) reply: Reply,
    ): Promise<CoreRecord> {
      return tagged(reply, await this.records.get(definition, principal.tenantId, id));
    }

    @Patch(':id')
    @Access(write)
    @Describe({
      summary: `Changes fields of ${noun}`,
      description: `Fields that are left out stay as they are; null clears a field. Publishes \`${definition.domain}.updated\`.`,
      body: inputSchema(definition, 'update'),
      answers: [{ status: 200, ...record }],
    })
    async update(
      @CurrentPrincipal() principal: Principal,
      @IdParam() id: string,
      @Body() body: Record<string, unknown>,
      @IfMatch() expected: ExpectedVersions,
      @Res({ passthrough: true }) reply: Reply,
    ): Promise<CoreRecord> {
      return tagged(reply, await this.records.update(definition, principal, id, body, expected));
    }

    @Delete(':id')
    @HttpCode(204)
    @Access(write)
    @Describe({
      summary: `Deletes ${noun}`,
      description: `Publishes \`${definition.domain}.deleted\`.`,
      answers: [{ status: 204, description: 'The record is deleted' }],
    })
    delete(
      @CurrentPrincipal() principal: Principal,
      @IdParam() id: string,
      @IfMatch() expected: ExpectedVersions,
    ): Promise<void> {
      return this.records.delete(definition, principal, id, expected);
    }
  }

  return RecordController;
}

function tagged(reply: Reply, record: CoreRecord): CoreRecord {
  reply.header('etag', entityTag(record.version));
  return record;
}
