import { BooleanField, ListField, TextField } from '@crm/http';

/** An option of a picklist. */
export class OptionView {
  @TextField({ maxLength: 255 })
  value: string;

  @TextField({ maxLength: 255 })
  label: string;
}

/** A field the caller may read. */
export class FieldView {
  @TextField({ maxLength: 40 })
  apiName: string;

  @TextField({ maxLength: 255 })
  label: string;

  @TextField({ maxLength: 40, description: 'One of the field types of the platform' })
  type: string;

  @BooleanField()
  required: boolean;

  @BooleanField()
  isUnique: boolean;

  @BooleanField({ description: 'Always true: fields the caller may not read are left out' })
  readable: boolean;

  @BooleanField({ description: 'Whether the caller may write it; a formula never is' })
  writable: boolean;

  @ListField(() => OptionView, { optional: true, maxItems: 1000 })
  options?: OptionView[];

  @TextField({
    maxLength: 207,
    optional: true,
    description: 'lead, contact, company, opportunity or custom:<apiName of an object of this workspace>',
  })
  referenceTarget?: string;
}

/** An object definition as the caller may see it. */
export class ObjectView {
  @TextField({ maxLength: 200 })
  apiName: string;

  @TextField({ maxLength: 255 })
  label: string;

  @TextField({ maxLength: 255 })
  pluralLabel: string;

  @TextField({ maxLength: 4000, nullable: true })
  description: string | null;

  @TextField({ maxLength: 200, description: 'The app that brought it' })
  appKey: string;

  @BooleanField()
  sandbox: boolean;

  @TextField({ maxLength: 40, nullable: true, description: 'The field that names a record' })
  nameField: string | null;

  @ListField(() => FieldView, { maxItems: 1000 })
  fields: FieldView[];
}

export class ObjectListView {
  @ListField(() => ObjectView, { maxItems: 1000 })
  data: ObjectView[];
}
