import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { CORE_OBJECTS, type CoreObject, PlatformError, type ScopeName } from '@crm/contracts';
import { headerCall, IdempotencyKey } from '@crm/database';
import { fieldTypes } from '@crm/fields';
import {
  ApiGroup,
  Describe,
  type DescribedAnswer,
  type ExpectedVersions,
  IdParam,
  IfMatch,
  type JsonSchema,
  type RouteDescription,
} from '@crm/http';
import {
  Body,
  Controller,
  createParamDecorator,
  Delete,
  Get,
  Inject,
  Param,
  Patch,
  Post,
  Query,
  Res,
} from '@nestjs/common';
import {
  type ObjectDefinition,
  STANDARD_OBJECTS,
  type StoredField,
  standardObjectNamed,
} from '../object/object-definition.js';
import { ListRecordsQuery, RecordHeadView, type Reply, shown, shownList } from './record.dto.js';
import { RecordService } from './record.service.js';

/** In what the routes of custom objects and those of a standard object differ. */
interface RecordRoutes {
  readonly scope: ScopeName;
  /** Decorates the parameter that is the object's API name. */
  readonly ObjectName: () => ParameterDecorator;
  readonly pathOf: (apiName: string) => string;
  readonly record: Pick<DescribedAnswer, 'description' | 'body'>;
  readonly texts: Readonly<Record<'list' | 'create' | 'get' | 'update' | 'delete', RouteDescription>>;
}

/** The five routes of records; the controllers below give them their paths. */
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
      @Res({ passthrough: true }) reply: Reply,
    ): Promise<string> {
      return shown(reply, await this.records.get(principal, apiName, id));
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

/** Standard objects do not exist among custom ones, so that the scope of custom objects cannot reach them. */
function customObjectName(apiName: string): string {
  if (standardObjectNamed(apiName)) throw new PlatformError('NOT_FOUND', 'There is no such object');
  return apiName;
}

const ON_DELETE =
  'What happens to the records that refer to it is decided by `onDelete` of the referring fields, whatever your rights to those records are.';

const CUSTOM_WRITE = {
  description: 'The body has the fields of the object by their api-names. Formulas cannot be written.',
  errors: ['FIELD_ACCESS_DENIED', 'UNIQUE_VIOLATION'],
} as const;

const CUSTOM_ROUTES: RecordRoutes = {
  scope: 'custom_objects',
  ObjectName: () => Param('apiName', { transform: customObjectName }),
  pathOf: (apiName) => `api/crm/custom/${apiName}/records`,
  record: { description: 'The record with the fields that the caller can read', body: () => RecordHeadView },
  texts: {
    list: {
      summary: 'Lists and searches records',
      description: 'Formulas are computed on read. A field that the caller cannot read is treated like an unknown one.',
    },
    create: { summary: 'Creates a record', ...CUSTOM_WRITE },
    get: {
      summary: 'Returns a record',
      description: 'Formulas are computed on read; fields that the caller cannot read are left out.',
    },
    update: { summary: 'Changes fields of a record', ...CUSTOM_WRITE },
    delete: { summary: 'Deletes a record', description: `The record is no longer returned by any call. ${ON_DELETE}` },
  },
};

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
function fieldSchema({ type: name, options, required, validationRules = [] }: StoredField): JsonSchema {
  const { type, ...rest } = fieldTypes.get(name)!.schema;
  const longest = validationRules.find((rule) => rule.type === 'maxLength')?.value;
  return {
    type: required ? type : [type, 'null'],
    ...rest,
    ...(options && { enum: options }),
    ...(longest !== undefined && { maxLength: Number(longest) }),
  };
}

/** The routes of a standard object follow from its definition. */
function standardRoutes(name: CoreObject): RecordRoutes {
  const { path, domain, scope } = CORE_OBJECTS[name];
  const object = STANDARD_OBJECTS[name];
  const noun = `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`;
  return {
    scope,
    ObjectName: createParamDecorator(() => name),
    pathOf: () => `api/crm/${path}`,
    record: { description: 'The record', body: recordSchema(object) },
    texts: {
      list: {
        summary: `Lists and searches ${path}`,
        description: 'Sorted by `-createdAt` unless `sort` says otherwise.',
      },
      create: {
        summary: `Creates ${noun}`,
        description: `Publishes \`${domain}.created\`.`,
        body: inputSchema(object, 'create'),
      },
      get: {
        summary: `Returns ${noun}`,
        description: 'The `ETag` of the answer can be sent as `If-Match` with a change.',
      },
      update: {
        summary: `Changes fields of ${noun}`,
        description: `Fields that are left out stay as they are; null clears a field. Publishes \`${domain}.updated\`.`,
        body: inputSchema(object, 'update'),
      },
      delete: {
        summary: `Deletes ${noun}`,
        description: `${ON_DELETE} References of standard objects are unset. Publishes \`${domain}.deleted\`.`,
      },
    },
  };
}

@ApiGroup({
  name: 'Custom objects',
  description: 'Definitions of the objects that apps bring, and their records.',
})
@Controller('api/crm/custom/:apiName/records')
export class RecordController extends recordController(CUSTOM_ROUTES) {}

@ApiGroup({ name: 'Leads', description: 'People who may become customers.' })
@Controller('api/crm/leads')
export class LeadController extends recordController(standardRoutes('lead')) {}

@ApiGroup({ name: 'Contacts', description: 'People at the companies a tenant works with.' })
@Controller('api/crm/contacts')
export class ContactController extends recordController(standardRoutes('contact')) {}

@ApiGroup({ name: 'Companies', description: 'Organisations that contacts and opportunities belong to.' })
@Controller('api/crm/companies')
export class CompanyController extends recordController(standardRoutes('company')) {}

@ApiGroup({ name: 'Opportunities', description: 'Deals in the pipeline. Their events carry the domain `deal`.' })
@Controller('api/crm/opportunities')
export class OpportunityController extends recordController(standardRoutes('opportunity')) {}

@ApiGroup({ name: 'Tasks', description: 'Work to be done, with a due time and an assignee.' })
@Controller('api/crm/tasks')
export class TaskController extends recordController(standardRoutes('task')) {}

export const recordControllers = [
  RecordController,
  LeadController,
  ContactController,
  CompanyController,
  OpportunityController,
  TaskController,
];
