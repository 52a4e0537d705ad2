import { EnumField, ListField, TextField } from '@crm/http';

const SHARE_ACCESS = ['none', 'read', 'write'] as const;
export type ShareAccess = (typeof SHARE_ACCESS)[number];

export class ShareInput {
  @EnumField(SHARE_ACCESS, {
    description:
      'What the app may do with the records, within its scopes; `write` includes reading, `none` ends the share',
  })
  access: ShareAccess;
}

export class ShareView {
  @TextField({ maxLength: 64, description: 'Key of the app' })
  appKey: string;

  @EnumField(SHARE_ACCESS)
  access: ShareAccess;
}

export class ShareListView {
  @ListField(() => ShareView, { maxItems: 100, description: 'Sorted by key; apps without access are left out' })
  data: ShareView[];
}
