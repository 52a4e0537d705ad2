import { LANGUAGES, type Language } from '@crm/contracts';
import {
  BooleanField,
  EnumField,
  field,
  IdField,
  IntegerField,
  JsonValueField,
  ListField,
  ObjectField,
  TextField,
} from '@crm/http';
import { FILTER_OPERATORS } from './filter-operators.js';
import { FieldHeadView, ObjectHeadView } from './object.dto.js';

/** Bodies that are made as text have this type. */
export const JSON_TYPE = 'application/json; charset=utf-8';

export class ObjectCatalogueQuery {
  @EnumField(LANGUAGES, {
    optional: true,
    description:
      "Language of the labels of standard objects, `en` by default. Labels of apps' objects are as the app wrote them",
  })
  language?: Language;
}

const FORMULA_TYPES = ['text', 'number', 'boolean', 'date', 'datetime', 'multi_select', 'any', 'null'] as const;

export class FormulaView {
  @EnumField(FORMULA_TYPES, { description: "Type of the formula's values" }) type: string;
}

/** A field that the caller may read. */
export class CatalogueFieldView extends FieldHeadView {
  @BooleanField() is_unique: boolean;

  @BooleanField({ description: 'Whether lists that are filtered or sorted by the field are fast at any size' })
  indexed: boolean;

  @BooleanField({ description: 'Whether `sort` accepts the field' }) sortable: boolean;

  @ListField(field.enum(FILTER_OPERATORS), { maxItems: 20, description: 'The operators that `filter` accepts' })
  filterOps: readonly string[];

  @JsonValueField({ optional: true, description: 'The value that new records get by default', example: 'open' })
  default?: unknown;
  @IntegerField({ optional: true, description: 'Maximum number of characters' }) maxLength?: number;

  @ListField(field.text({ maxLength: 207, example: 'company' }), {
    optional: true,
    maxItems: 10,
    description:
      'For a reference: the names of standard objects, `custom:<name>` of a custom object, or `user`; absent if the object was removed',
  })
  referenceTargets?: string[];

  @ObjectField(() => FormulaView, { optional: true, description: 'For a formula' }) formula?: FormulaView;
}

export class PipelineHeadView {
  @IdField() id: string;
  @TextField({ maxLength: 100, example: 'Sales' }) name: string;
}

/** A standard or custom object as the caller may see it. */
export class CatalogueObjectView extends ObjectHeadView {
  @BooleanField() standard: boolean;

  @TextField({ maxLength: 200, nullable: true, description: 'Key of the app that the object belongs to' })
  appKey: string | null;

  @TextField({ maxLength: 300, example: '/api/crm/leads' }) recordsPath: string;

  @ListField(field.text({ maxLength: 40, example: 'lastName' }), {
    maxItems: 5,
    description: 'The fields whose values make up the title of a record',
  })
  titleFields: string[];

  @BooleanField({ description: 'Whether the caller can create records' }) creatable: boolean;
  @BooleanField({ description: 'Whether the caller can change fields of records' }) updatable: boolean;
  @BooleanField({ description: 'Whether the caller can delete records' }) deletable: boolean;
  @ListField(() => CatalogueFieldView, { maxItems: 1000 }) fields: CatalogueFieldView[];

  @ListField(() => PipelineHeadView, {
    optional: true,
    maxItems: 20,
    description: 'The pipelines with their stages; new records start in the first stage',
  })
  pipelines?: PipelineHeadView[];
}

export class CatalogueView {
  @ListField(() => CatalogueObjectView, {
    maxItems: 1000,
    description: 'Standard objects first, then those of apps, by name',
  })
  data: CatalogueObjectView[];
}

/** Without a default: linters take a member `default` beside `type` for a JSON Schema. */
export const CATALOGUE_EXAMPLE = {
  ...{ apiName: 'company', label: 'Company', pluralLabel: 'Companies', description: null },
  ...{ standard: true, appKey: null, sandbox: false, recordsPath: '/api/crm/companies' },
  ...{ nameField: 'name', titleFields: ['name'], creatable: true, updatable: true, deletable: true },
  fields: [
    {
      ...{ apiName: 'name', label: 'Name', type: 'text', required: true, is_unique: false, readable: true },
      ...{ writable: true, indexed: true, sortable: true, maxLength: 200 },
      filterOps: ['eq', 'ne', 'in', 'contains', 'startsWith', 'empty', 'notEmpty'],
    },
  ],
};
