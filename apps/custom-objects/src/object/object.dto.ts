import { ApiProperty } from '@nestjs/swagger';

/** An option of a picklist. */
export class OptionView {
  @ApiProperty()
  value: string;

  @ApiProperty()
  label: string;
}

/** A field the caller may read. */
export class FieldView {
  @ApiProperty()
  apiName: string;

  @ApiProperty()
  label: string;

  @ApiProperty({ description: 'One of the field types of the platform' })
  type: string;

  @ApiProperty()
  required: boolean;

  @ApiProperty()
  isUnique: boolean;

  @ApiProperty({ description: 'Always true: fields the caller may not read are left out' })
  readable: boolean;

  @ApiProperty({ description: 'Whether the caller may write it; a formula never is' })
  writable: boolean;

  @ApiProperty({ type: () => [OptionView], required: false })
  options?: OptionView[];

  @ApiProperty({ required: false, description: 'lead, contact, company, opportunity or custom:<apiName>' })
  referenceTarget?: string;
}

/** An object definition as the caller may see it. */
export class ObjectView {
  @ApiProperty()
  apiName: string;

  @ApiProperty()
  label: string;

  @ApiProperty()
  pluralLabel: string;

  @ApiProperty({ type: String, nullable: true })
  description: string | null;

  @ApiProperty({ description: 'The app that brought it' })
  appKey: string;

  @ApiProperty()
  sandbox: boolean;

  @ApiProperty({ type: String, nullable: true, description: 'The field that names a record' })
  nameField: string | null;

  @ApiProperty({ type: () => [FieldView] })
  fields: FieldView[];
}

export class ObjectListView {
  @ApiProperty({ type: () => [ObjectView] })
  data: ObjectView[];
}
