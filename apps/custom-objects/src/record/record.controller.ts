import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { Describe, IdParam, type ListAnswer, listAnswer, parsePage } from '@crm/service-kit';
import { Body, Controller, Delete, Get, Headers, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { RecordHead, RecordListQuery } from './record.dto.js';
import type { RecordView } from './record.js';
import { RecordService, type TaggedRecord } from './record.service.js';
import { expectedVersion } from './record-etag.js';

/** What the routes need of the HTTP answer. */
interface Reply {
  header(name: string, value: string): unknown;
}

const READ = { right: 'read', scope: 'custom_objects' } as const;
const WRITE = { right: 'write', scope: 'custom_objects' } as const;
const RECORD = { description: 'The record, with the fields the caller may read', body: () => RecordHead };

@Controller('api/crm/custom/:apiName/records')
export class RecordController {
  constructor(private readonly records: RecordService) {}

  @Get()
  @Access(READ)
  @Describe({ summary: 'Lists and searches records', answers: [{ status: 200, ...RECORD, list: true }] })
  async list(
    @CurrentPrincipal() principal: Principal,
    @Param('apiName') apiName: string,
    @Query() query: RecordListQuery,
  ): Promise<ListAnswer<RecordView>> {
    const page = parsePage(query);
    const exactCount = query.count === 'exact';
    const { records, ...about } = await this.records.list(principal, apiName, { ...query, ...page, exactCount });
    return listAnswer(records, { ...page, ...about });
  }

  @Post()
  @Access(WRITE)
  @Describe({ summary: 'Creates a record', answers: [{ status: 201, ...RECORD }] })
  async create(
    @CurrentPrincipal() principal: Principal,
    @Param('apiName') apiName: string,
    @Body() body: Record<string, unknown>,
    @Res({ passthrough: true }) reply: Reply,
  ): Promise<RecordView> {
    return shown(reply, await this.records.create(principal, apiName, body));
  }

  @Get(':id')
  @Access(READ)
  @Describe({ summary: 'Reads a record', answers: [{ status: 200, ...RECORD }] })
  async get(
    @CurrentPrincipal() principal: Principal,
    @Param('apiName') apiName: string,
    @IdParam() id: string,
    @Res({ passthrough: true }) reply: Reply,
  ): Promise<RecordView> {
    return shown(reply, await this.records.get(principal, apiName, id));
  }

  @Patch(':id')
  @Access(WRITE)
  @Describe({ summary: 'Changes fields of a record', answers: [{ status: 200, ...RECORD }] })
  async update(
    @CurrentPrincipal() principal: Principal,
    @Param('apiName') apiName: string,
    @IdParam() id: string,
    @Body() body: Record<string, unknown>,
    @Headers('if-match') ifMatch: string | undefined,
    @Res({ passthrough: true }) reply: Reply,
  ): Promise<RecordView> {
    return shown(reply, await this.records.update(principal, apiName, id, body, expectedVersion(ifMatch)));
  }

  @Delete(':id')
  @HttpCode(204)
  @Access(WRITE)
  @Describe({ summary: 'Deletes a record', answers: [{ status: 204, description: 'Gone' }] })
  delete(
    @CurrentPrincipal() principal: Principal,
    @Param('apiName') apiName: string,
    @IdParam() id: string,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<void> {
    return this.records.delete(principal, apiName, id, expectedVersion(ifMatch));
  }
}

function shown(reply: Reply, { record, etag }: TaggedRecord): RecordView {
  reply.header('etag', etag);
  return record;
}
