import { SCOPES, type Scope } from '@crm/contracts';
import { DateTimeField, EnumField, field, IdField, ListField, TextField } from '@crm/http';
import { SCOPE_LIST } from './api-key.dto.js';
import type { ServiceAccount, ServiceAccountStatus } from './service-account.entity.js';

const NAME = { maxLength: 100, pattern: /\S/, example: 'ERP synchronisation' };
const ROLES = {
  minItems: 1,
  maxItems: 20,
  description: '`admin`, `member` or `viewer`, or a role name of the workspace or of an app; never `owner`',
  example: ['member'],
};
/** A built-in role or a name that the workspace or an app added. */
const roleName = field.text({ maxLength: 40, pattern: /^[a-z][a-z0-9_-]{0,39}$/ });

export class ServiceAccountInput {
  @TextField(NAME)
  name: string;

  @ListField(roleName, ROLES)
  roles: string[];

  @ListField(field.enum(SCOPES), {
    ...SCOPE_LIST,
    description: 'What its keys may reach; a scope with `:read` may only read. The roles have to allow each of them',
  })
  scopes: Scope[];
}

export class ServiceAccountChangeInput {
  @TextField({ ...NAME, optional: true, minLength: 1 })
  name?: string;

  @ListField(roleName, { ...ROLES, optional: true })
  roles?: string[];

  @ListField(field.enum(SCOPES), { ...SCOPE_LIST, optional: true })
  scopes?: Scope[];

  @EnumField(['active', 'disabled'], {
    optional: true,
    description: 'Keys of a disabled account are refused until it is active again',
  })
  status?: ServiceAccountStatus;
}

export class ServiceAccountView {
  @IdField()
  id: string;

  @TextField({ maxLength: 100 })
  name: string;

  @ListField(field.text({ maxLength: 40 }), { example: ['member'] })
  roles: string[];

  @ListField(field.text({ maxLength: 40 }), { example: ['leads', 'contacts:read'] })
  scopes: string[];

  @EnumField(['active', 'disabled'])
  status: string;

  @IdField({ description: 'The user who made it' })
  createdBy: string;

  @DateTimeField()
  createdAt: string;
}

export function serviceAccountView(account: ServiceAccount): ServiceAccountView {
  const { id, name, roles, scopes, status, createdBy } = account;
  return { id, name, roles, scopes, status, createdBy, createdAt: account.createdAt.toISOString() };
}
