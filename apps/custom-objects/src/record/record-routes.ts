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
  if (standardObjectNamed(apiName)) throw new PlatformError('NOT_FOUND', 'Object not found');
  return apiName;
}

const ON_DELETE =
  '`onDelete` of the referring fields decides what happens to records that refer to it, whatever your rights to those records are.';

const CUSTOM_WRITE = {
  description: "The body contains the object's fields by API name. Formulas can't be written.",
  errors: ['FIELD_ACCESS_DENIED', 'UNIQUE_VIOLATION', 'STORAGE_LIMIT_REACHED'],
} as const;

const CUSTOM_ROUTES: RecordRoutes = {
  scope: 'custom_objects',
  ObjectName: () => Param('apiName', { transform: customObjectName }),
  pathOf: (apiName) => `api/crm/custom/${apiName}/records`,
  record: { description: 'The record with the fields that the caller can read', body: () => RecordHeadView },
  texts: {
    list: {
      summary: 'List and search records',
      description:
        "Formulas are computed on read. A field that the caller can't read is treated like an unknown field.",
    },
    create: { summary: 'Create a record', ...CUSTOM_WRITE },
    get: {
      summary: 'Get a record',
      description: "Formulas are computed on read. Fields that the caller can't read are left out.",
    },
    update: { summary: 'Update a record', ...CUSTOM_WRITE },
    delete: {
      summary: 'Delete a record',
      description: `Moves the record to the bin, from which it can be restored for 30 days. ${ON_DELETE}`,
    },
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
        summary: `List and search ${path}`,
        description: 'Sorted by `-createdAt` by default.',
      },
      create: {
        summary: `Create ${noun}`,
        description: `Publishes \`${domain}.created\`.`,
        body: inputSchema(object, 'create'),
      },
      get: {
        summary: `Get ${noun}`,
        description: "Send the response's `ETag` as `If-Match` with a change.",
      },
      update: {
        summary: `Update ${noun}`,
        description: `Fields you leave out stay unchanged; null clears a field. Publishes \`${domain}.updated\`.`,
        body: inputSchema(object, 'update'),
      },
      delete: {
        summary: `Delete ${noun}`,
        description: `${ON_DELETE} References of standard objects are unset. Publishes \`${domain}.deleted\`.`,
      },
    },
  };
}

export const LEAD_GROUP = { name: 'Leads', description: 'People who may become customers.' };
const GROUPS: Readonly<Record<CoreObject, ApiGroupDescription>> = {
  lead: LEAD_GROUP,
  contact: { name: 'Contacts', description: 'People at the companies you work with.' },
  company: { name: 'Companies', description: 'Organizations that contacts and deals belong to.' },
  opportunity: { name: 'Opportunities', description: 'Deals in the pipeline. Their events are named `deal.*`.' },
  task: { name: 'Tasks', description: 'Work to do, with a due time and an assignee.' },
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
