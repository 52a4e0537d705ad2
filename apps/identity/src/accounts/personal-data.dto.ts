import { BooleanField, DateTimeField, field, JsonField, ListField, TextField } from '@crm/http';
import { ApiKeyView } from '../api-keys/api-key.dto.js';
import { AuditEntryView } from '../audit/audit-log.dto.js';
import { GrantView } from '../oauth/oauth.dto.js';
import { SessionView } from '../sessions/session.dto.js';

export class LeavingQuery {
  @BooleanField({ optional: true, description: 'Whether nothing but the id is left of the user there' })
  erase?: boolean;
}

export class PersonalDataView {
  @TextField({ maxLength: 40, example: 'crm-personal-data/1' }) format: string;
  @DateTimeField() exportedAt: string;
  @JsonField({ example: { id: '019ca8c2-1f5a-7c3e-9d41-2b6f0a8e5c17', name: 'Globex' } }) workspace: object;

  @JsonField({
    description: 'Id, address, name, roles, status, how the user came to be, and since when',
    example: { email: 'grace@globex.example.com', name: 'Grace Hopper' },
  })
  account: object;

  @JsonField({ example: { enabled: true, authenticatorSince: null, recoveryCodesLeft: 0, passkeys: [] } })
  secondFactor: object;

  @ListField(() => SessionView) sessions: SessionView[];

  @ListField(field.json(), { description: 'When each invitation was sent, ends and was accepted', example: [] })
  invitations: object[];

  @ListField(field.json(), {
    description: 'The addresses of changes that have not expired, with their times',
    example: [],
  })
  emailChanges: object[];

  @ListField(field.json(), { description: 'Which user of which host the user is', example: [] }) embedLinks: object[];

  @ListField(field.json(), {
    description: 'Requests to link another account at an identity provider to the user',
    example: [],
  })
  providerLinkRequests: object[];

  @ListField(field.json(), { description: 'Who the user is at identity providers of the workspace', example: [] })
  providerLinks: object[];

  @ListField(field.json(), { optional: true, description: 'Of oneself: own workspaces', example: [] })
  memberships?: object[];

  @ListField(field.json(), { optional: true, description: 'Of oneself: workspaces that wait', example: [] })
  offers?: object[];

  @ListField(() => ApiKeyView, { description: 'API keys of the user, without their secrets' }) apiKeys: ApiKeyView[];
  @ListField(() => GrantView, { description: 'Apps that act for the user' }) appGrants: GrantView[];

  @ListField(() => AuditEntryView, {
    description: 'Entries that the user made or that are about them; from where others acted is left out',
  })
  auditTrail: AuditEntryView[];
}
