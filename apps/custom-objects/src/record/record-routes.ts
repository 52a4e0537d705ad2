import { CORE_OBJECTS, type CoreObject, MAX_OPTION, PlatformError, type ScopeName } from '@crm/contracts';
import { fieldTypes } from '@crm/fields';
import {
  ApiGroup,
  type ApiGroupDescription,
  type DescribedAnswer,
  type JsonSchema,
  type RouteDescription,
} from '@crm/http';
import { Controller, createParamDecorator, Param, type Type } from '@nestjs/common';
import { CUSTOM_GROUP } from '../object/object.controller.js';
import {
  type ObjectDefinition,
  STANDARD_OBJECTS,
  type StoredField,
  standardObjectNamed,
} from '../object/object-definition.js';
import { RecordHeadView } from './record.dto.js';

/** In what the routes of custom objects and those of a standard object differ. */
export interface RecordRoutes {
  readonly scope: ScopeName;
  /** Decorates the parameter that is the object's API name. */
  readonly ObjectName: () => ParameterDecorator;
  readonly pathOf: (apiName: string) => string;
  readonly record: Pick<DescribedAnswer, 'description' | 'body'>;
  readonly texts: Readonly<Record<'list' | 'create' | 'get' | 'update' | 'delete', RouteDescription>>;
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
  errors: ['FIELD_ACCESS_DENIED', 'UNIQUE_VIOLATION', 'STORAGE_LIMIT_REACHED'],
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
  const fields = object.fields.filter(({ writeRoles }) => writeRoles === undefined);
  const required = fields.filter((field) => field.required && !field.default).map(({ apiName }) => apiName);
  return {
    type: 'object',
    properties: fieldSchemas({ ...object, fields }),
    ...(mode === 'create' && { required }),
    additionalProperties: false,
  };
}

const fieldSchemas = ({ fields, picklists = {} }: ObjectDefinition): Record<string, JsonSchema> =>
  Object.fromEntries(
    fields.map((field) => [
      field.apiName,
      Object.hasOwn(picklists, field.apiName) ? OPTION_OF_WORKSPACE : fieldSchema(field),
    ]),
  );

const OPTION_OF_WORKSPACE: JsonSchema = {
  type: ['string', 'null'],
  maxLength: MAX_OPTION,
  description: 'The value of an option of the workspace',
};

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

export const LEAD_GROUP = { name: 'Leads', description: 'People who may become customers.' };
const GROUPS: Readonly<Record<CoreObject, ApiGroupDescription>> = {
  lead: LEAD_GROUP,
  contact: { name: 'Contacts', description: 'People at the companies a tenant works with.' },
  company: { name: 'Companies', description: 'Organisations that contacts and opportunities belong to.' },
  opportunity: { name: 'Opportunities', description: 'Deals in the pipeline. Their events carry the domain `deal`.' },
  task: { name: 'Tasks', description: 'Work to be done, with a due time and an assignee.' },
};

/**
 * The same routes for the records of custom objects and of each standard object, below their paths.
 * @param what names the controllers, in which the names of operations begin: `LeadHistory`
 * @param make the class of the controller; each call makes a new one
 */
export function controllersOf(what: string, make: (routes: RecordRoutes) => Type): Type[] {
  const controller = (noun: string, path: string, group: ApiGroupDescription, routes: RecordRoutes): Type => {
    const type = make(routes);
    Object.defineProperty(type, 'name', { value: `${noun}${what}Controller` });
    ApiGroup(group)(type);
    Controller(path)(type);
    return type;
  };
  return [
    controller('Record', 'api/crm/custom/:apiName/records', CUSTOM_GROUP, CUSTOM_ROUTES),
    ...(Object.keys(GROUPS) as CoreObject[]).map((name) => {
      const noun = `${name[0]?.toUpperCase()}${name.slice(1)}`;
      return controller(noun, `api/crm/${CORE_OBJECTS[name].path}`, GROUPS[name], standardRoutes(name));
    }),
  ];
}
