import { EnumField, field, IdField, ListField, ObjectField, TextField } from '@crm/http';
import { ApiKeyView } from './api-key.dto.js';

export class KeyOwnerView {
  @EnumField(['user', 'service'], { description: '`service`: a service account' })
  kind: string;

  @IdField()
  id: string;

  @TextField({ maxLength: 200 })
  name: string;

  @ListField(field.text({ maxLength: 40 }), { example: ['member'] })
  roles: string[];
}

/** The key of a call. Its scopes are those that count, of a service account's key too. */
export class CurrentKeyView extends ApiKeyView {
  @ObjectField(() => KeyOwnerView)
  owner: KeyOwnerView;

  @IdField({ description: 'The workspace' })
  tenantId: string;
}
