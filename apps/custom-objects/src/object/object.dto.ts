import { STAGE_MEANINGS } from '@crm/contracts';
import { REFERENCE_DELETIONS } from '@crm/fields';
import { BooleanField, EnumField, IdField, IntegerField, ListField, TextField } from '@crm/http';

/** An option of a picklist. */
export class OptionView {
  @TextField({ maxLength: 255 }) value: string;
  @TextField({ maxLength: 255 }) label: string;

  @BooleanField({
    optional: true,
    description:
      'False for an inactive option of a workspace picklist: records that have it keep it, and no other record can get it',
  })
  active?: boolean;

  @EnumField(STAGE_MEANINGS, { optional: true, description: 'For a stage: the status of its deals' })
  meaning?: string;

  @IntegerField({ optional: true, description: 'For a stage: the probability of winning, in percent' })
  probability?: number;
  @IdField({ optional: true, description: 'For a stage' }) pipelineId?: string;
}

/** What every description of a field has that the caller may read. */
export class FieldHeadView {
  @TextField({ maxLength: 40 }) apiName: string;
  @TextField({ maxLength: 255 }) label: string;
  @TextField({ maxLength: 40, description: 'Field type', example: 'text' }) type: string;
  @BooleanField() required: boolean;
  @BooleanField({ description: "Always true, because fields that the caller can't read are left out" })
  readable: boolean;

  @BooleanField({ description: 'Whether the caller can write the field; a formula is never writable' })
  writable: boolean;

  @ListField(() => OptionView, { optional: true, maxItems: 1000 }) options?: OptionView[];

  @EnumField(REFERENCE_DELETIONS, {
    optional: true,
    description:
      "For a reference: what happens when the referenced record is deleted. `restrict` rejects the deletion, `set_null` clears the reference, `cascade` deletes this record as well. It applies whatever the caller's rights to this record are",
  })
  onDelete?: string;
}

/** A field of a custom object. */
export class FieldView extends FieldHeadView {
  @BooleanField() isUnique: boolean;

  @TextField({
    maxLength: 207,
    optional: true,
    description: 'lead, contact, company, opportunity or custom:<apiName of an object of this workspace>',
  })
  referenceTarget?: string;
}

/** What every description of an object has. */
export class ObjectHeadView {
  @TextField({ maxLength: 200 }) apiName: string;
  @TextField({ maxLength: 255 }) label: string;
  @TextField({ maxLength: 255 }) pluralLabel: string;
  @TextField({ maxLength: 4000, nullable: true }) description: string | null;
  @BooleanField({ description: 'Whether the app is being tried in a sandbox' }) sandbox: boolean;

  @TextField({ maxLength: 40, nullable: true, description: 'The field whose value names a record' })
  nameField: string | null;
}

/** The definition of a custom object as the caller may see it. */
export class ObjectView extends ObjectHeadView {
  @TextField({ maxLength: 200, description: 'Key of the app that the object belongs to' }) appKey: string;
  @ListField(() => FieldView, { maxItems: 1000 }) fields: FieldView[];
}

export class ObjectListView {
  @ListField(() => ObjectView, { maxItems: 1000 }) data: ObjectView[];
}

const SHARE_ACCESS = ['none', 'read', 'write'] as const;
export type ShareAccess = (typeof SHARE_ACCESS)[number];

export class ShareInput {
  @EnumField(SHARE_ACCESS, {
    description:
      'What the app can do with the records, within its scopes. `write` includes reading, `none` ends the share',
  })
  access: ShareAccess;
}

export class ShareView {
  @TextField({ maxLength: 64, description: 'Key of the app' }) appKey: string;
  @EnumField(SHARE_ACCESS) access: ShareAccess;
}

export class ShareListView {
  @ListField(() => ShareView, { maxItems: 100, description: 'Sorted by key, without apps that have no access' })
  data: ShareView[];
}
