import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { CORE_OBJECTS, type CoreObject } from '@crm/contracts';
import { headerCall, IdempotencyKey } from '@crm/database';
import { Describe, type ExpectedVersions, IdParam, IfMatch } from '@crm/http';
import { Body, Delete, Get, HttpCode, Inject, Patch, Post, Query, Res } from '@nestjs/common';
import { STANDARD_OBJECTS } from '../object/standard-objects.js';
import { ListRecordsQuery } from '../record/record.dto.js';
import { type Reply, shown, shownList } from '../record/record.reply.js';
import { RecordService } from '../record/record.service.js';
import { inputSchema, recordSchema } from './standard-record.schema.js';

/**
 * The controller of a standard object: the same calls for each, made from its definition, so that a noun's own controller
 * is its path and its name.
 */
export function standardRecordController(name: CoreObject) {
  const { path, domain, scope } = CORE_OBJECTS[name];
  const object = STANDARD_OBJECTS[name];
  const noun = `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`;
  const read = { right: 'read', scope } as const;
  const write = { right: 'write', scope } as const;
  const record = { description: 'The record', body: recordSchema(object) };

  class StandardRecordController {
    constructor(@Inject(RecordService) readonly records: RecordService) {}

    @Get()
    @Access(read)
    @Describe({
      summary: `Lists and searches ${path}`,
      description: 'Sorted by `-createdAt` unless `sort` says otherwise.',
      errors: ['QUERY_TOO_EXPENSIVE'],
      answers: [{ status: 200, ...record, list: true }],
    })
    async list(
      @CurrentPrincipal() principal: Principal,
      @Query() query: ListRecordsQuery,
      @Res({ passthrough: true }) reply: Reply,
    ): Promise<string> {
      return shownList(reply, await this.records.list(principal, name, query));
    }

    @Post()
    @Access(write)
    @Describe({
      summary: `Creates ${noun}`,
      description: `Publishes \`${domain}.created\`.`,
      body: inputSchema(object, 'create'),
      answers: [{ status: 201, ...record }],
    })
    async create(
      @CurrentPrincipal() principal: Principal,
      @Body() body: Record<string, unknown>,
      @IdempotencyKey() key: string | undefined,
      @Res({ passthrough: true }) reply: Reply,
    ): Promise<string> {
      const call = headerCall(principal, `POST /api/crm/${path}`, key, body);
      return shown(reply, await this.records.create(principal, name, body, call));
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
    ): Promise<string> {
      return shown(reply, await this.records.get(principal, name, id));
    }

    @Patch(':id')
    @Access(write)
    @Describe({
      summary: `Changes fields of ${noun}`,
      description: `Fields that are left out stay as they are; null clears a field. Publishes \`${domain}.updated\`.`,
      body: inputSchema(object, 'update'),
      answers: [{ status: 200, ...record }],
    })
    async update(
      @CurrentPrincipal() principal: Principal,
      @IdParam() id: string,
      @Body() body: Record<string, unknown>,
      @IfMatch() expected: ExpectedVersions,
      @Res({ passthrough: true }) reply: Reply,
    ): Promise<string> {
      return shown(reply, await this.records.update(principal, name, id, body, expected));
    }

    @Delete(':id')
    @HttpCode(204)
    @Access(write)
    @Describe({
      summary: `Deletes ${noun}`,
      description: `References to the record are unset. Publishes \`${domain}.deleted\`.`,
      answers: [{ status: 204, description: 'The record is deleted' }],
    })
    delete(
      @CurrentPrincipal() principal: Principal,
      @IdParam() id: string,
      @IfMatch() expected: ExpectedVersions,
    ): Promise<void> {
      return this.records.delete(principal, name, id, expected);
    }
  }

  return StandardRecordController;
}
