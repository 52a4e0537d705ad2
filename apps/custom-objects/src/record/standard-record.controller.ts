import { Access, CurrentPrincipal, type Principal } from '@crm/access';

import { CORE_OBJECTS, type CoreObject } from '@crm/contracts';
import { headerCall, IdempotencyKey } from '@crm/database';
import { ApiGroup, Describe, type ExpectedVersions, IdParam, IfMatch, type JsonSchema } from '@crm/http';
import { Body, Controller, Delete, Get, HttpCode, Inject, Patch, Post, Query, Res } from '@nestjs/common';
import type { ObjectDefinition, StoredField } from '../object/object-definition.js';
import { STANDARD_OBJECTS } from '../object/standard-objects.js';
import { ListRecordsQuery, type Reply, shown, shownList } from './record.dto.js';

import { RecordService } from './record.service.js';

/** JSON Schema of a record as it is answered. */
function recordSchema(object: ObjectDefinition): JsonSchema {
  const properties: Record<string, JsonSchema> = {
    id: { type: 'string', format: 'uuid' },
    version: { type: 'integer', minimum: 1 },
    createdAt: { type: 'string', format: 'date-time' },
    updatedAt: { type: 'string', format: 'date-time' },
    ...fieldSchemas(object),
  };
  return { type: 'object', required: Object.keys(properties), properties };
}

/** JSON Schema of what can be written. */
function inputSchema(object: ObjectDefinition, mode: 'create' | 'update'): JsonSchema {
  const required = object.fields.filter((field) => field.required && !field.default).map(({ apiName }) => apiName);
  return {
    type: 'object',
    properties: fieldSchemas(object),
    ...(mode === 'create' && { required }),
    additionalProperties: false,
  };
}

const fieldSchemas = ({ fields }: ObjectDefinition): Record<string, JsonSchema> =>
  Object.fromEntries(fields.map((field) => [field.apiName, fieldSchema(field)]));

/** JSON Schema of a field; one that is not required can be null. */
function fieldSchema(field: StoredField): JsonSchema {
  const { type, ...rest } = valueSchema(field);
  return field.required ? { type, ...rest } : { type: [type, 'null'], ...rest };
}

function valueSchema({ type, options, validationRules = [] }: StoredField): JsonSchema & { type: 'string' | 'number' } {
  switch (type) {
    case 'number':
      return { type: 'number' };
    case 'date':
      return { type: 'string', format: 'date' };
    case 'datetime':
      return { type: 'string', format: 'date-time' };
    case 'reference':
      return { type: 'string', format: 'uuid' };
    case 'picklist':
      return { type: 'string', enum: options };
    default: {
      const longest = validationRules.find((rule) => rule.type === 'maxLength')?.value;
      return { type: 'string', ...(longest !== undefined && { maxLength: Number(longest) }) };
    }
  }
}

/** Builds the controller of a standard object from its definition. */
function standardRecordController(name: CoreObject) {
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

@ApiGroup({ name: 'Leads', description: 'People who may become customers.' })
@Controller('api/crm/leads')
export class LeadController extends standardRecordController('lead') {}

@ApiGroup({ name: 'Contacts', description: 'People at the companies a tenant works with.' })
@Controller('api/crm/contacts')
export class ContactController extends standardRecordController('contact') {}

@ApiGroup({ name: 'Companies', description: 'Organisations that contacts and opportunities belong to.' })
@Controller('api/crm/companies')
export class CompanyController extends standardRecordController('company') {}

@ApiGroup({ name: 'Opportunities', description: 'Deals in the pipeline. Their events carry the domain `deal`.' })
@Controller('api/crm/opportunities')
export class OpportunityController extends standardRecordController('opportunity') {}

@ApiGroup({ name: 'Tasks', description: 'Work to be done, with a due time and an assignee.' })
@Controller('api/crm/tasks')
export class TaskController extends standardRecordController('task') {}
