import { BooleanField, DateTimeField, field, JsonField, ListField, TextField } from '@crm/http';
import { ApiKeyView } from '../api-keys/api-key.dto.js';
import { AuditEntryView } from '../audit/audit-log.dto.js';
import { GrantView } from '../oauth/oauth.dto.js';
import { SessionView } from '../sessions/session.dto.js';

export class LeavingQuery {
  @BooleanField({ optional: true, description: "Whether only the user's ID is left" })
  erase?: boolean;
}

export class PersonalDataView {
  @TextField({ maxLength: 40, example: 'crm-personal-data/1' }) format: string;
  @DateTimeField() exportedAt: string;
  @JsonField({ example: { id: '019ca8c2-1f5a-7c3e-9d41-2b6f0a8e5c17', name: 'Globex' } }) workspace: object;

  @JsonField({
    description: 'ID, address, name, roles, status, origin, and creation time',
    example: { email: 'grace@globex.example.com', name: 'Grace Hopper' },
  })
  account: object;

  @JsonField({ example: { enabled: true, authenticatorSince: null, recoveryCodesLeft: 0, passkeys: [] } })
  secondFactor: object;

  @ListField(() => SessionView) sessions: SessionView[];

  @ListField(field.json(), { description: 'When each invitation was sent, expires, and was accepted', example: [] })
  invitations: object[];

  @ListField(field.json(), {
    description: "Email changes that haven't expired, with their times",
    example: [],
  })
  emailChanges: object[];

  @ListField(field.json(), { description: 'The host users linked to the user', example: [] }) embedLinks: object[];

  @ListField(field.json(), {
    description: 'Requests to link another account at an identity provider to the user',
    example: [],
  })
  providerLinkRequests: object[];

  @ListField(field.json(), { description: "The user's accounts at the workspace's identity providers", example: [] })
  providerLinks: object[];

  @ListField(field.json(), { optional: true, description: 'Only for your own data: your workspaces', example: [] })
  memberships?: object[];

  @ListField(field.json(), {
    optional: true,
    description: 'Only for your own data: your workspace offers',
    example: [],
  })
  offers?: object[];

  @ListField(() => ApiKeyView, { description: 'API keys of the user, without their secrets' }) apiKeys: ApiKeyView[];
  @ListField(() => GrantView, { description: "The user's connected apps" }) appGrants: GrantView[];

  @ListField(() => AuditEntryView, {
    description: 'Entries by or about the user, without where others acted from',
  })
  auditTrail: AuditEntryView[];
}
