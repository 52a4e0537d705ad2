import { apiKeyStart } from '@crm/access';
import { SCOPES, type Scope } from '@crm/contracts';
import { DateTimeField, EnumField, field, IdField, IntegerField, ListField, ObjectField, TextField } from '@crm/http';
import { roleName } from '../roles/role.dto.js';
import type { ApiKey, ServiceAccount, ServiceAccountStatus } from './api-key.entity.js';

export const DEFAULT_KEY_DAYS = 90;
const LONGEST_KEY_DAYS = 365;

const SCOPE_LIST = { minItems: 1, maxItems: SCOPES.length, unique: true, example: ['leads', 'contacts:read'] };

/** A key of a service account, whose scopes are the account's. */
export class ServiceKeyInput {
  @TextField({ maxLength: 100, pattern: /\S/, description: 'What it is for', example: 'Nightly import' }) name: string;

  @IntegerField({
    optional: true,
    minimum: 1,
    maximum: LONGEST_KEY_DAYS,
    description: `Days until it expires, ${DEFAULT_KEY_DAYS} by default`,
    example: 30,
  })
  expiresInDays?: number;
}

export class ApiKeyInput extends ServiceKeyInput {
  @ListField(field.enum(SCOPES), {
    ...SCOPE_LIST,
    description: 'What the key can access; `:read` scopes are read-only. Your role has to allow each scope',
  })
  scopes: Scope[];
}

/** A key, without its secret. */
export class ApiKeyView {
  @IdField() id: string;
  @TextField({ maxLength: 100 }) name: string;
  @TextField({ maxLength: 20, description: 'The beginning of the key', example: 'crmk_0AQ1mCzFv6Ge' }) prefix: string;

  @ListField(field.text({ maxLength: 40 }), {
    description: "Empty for a service account key, which has the account's scopes",
    example: ['leads', 'contacts:read'],
  })
  scopes: string[];

  @DateTimeField() createdAt: string;
  @IdField({ description: 'The user who created it' }) createdBy: string;
  @DateTimeField({ description: 'When it expires' }) expiresAt: string;

  @DateTimeField({ nullable: true, description: 'When it was last used, accurate to 5 minutes; null if never' })
  lastUsedAt: string | null;

  @TextField({ maxLength: 64, nullable: true, description: 'Where it was last used' }) lastAddress: string | null;
}

export class NewApiKeyView extends ApiKeyView {
  @TextField({
    maxLength: 200,
    description: 'The key. Shown once',
    example: 'crmk_<44 digits and letters>_<49 digits and letters>',
  })
  key: string;
}

export function apiKeyView(key: ApiKey): ApiKeyView {
  return {
    id: key.id,
    name: key.name,
    prefix: apiKeyStart(key.id),
    scopes: key.scopes,
    createdAt: key.createdAt.toISOString(),
    createdBy: key.createdBy,
    expiresAt: key.expiresAt.toISOString(),
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
    lastAddress: key.lastAddress,
  };
}

export class KeyOwnerView {
  @EnumField(['user', 'service'], { description: '`service`: a service account' }) kind: string;
  @IdField() id: string;
  @TextField({ maxLength: 200 }) name: string;
  @ListField(field.text({ maxLength: 40 }), { example: ['member'] }) roles: string[];
}

/** The key of a call. Its scopes are those that count, of a service account's key too. */
export class CurrentKeyView extends ApiKeyView {
  @ObjectField(() => KeyOwnerView) owner: KeyOwnerView;
  @IdField({ description: 'The workspace' }) tenantId: string;
}

const NAME = { maxLength: 100, pattern: /\S/, example: 'ERP sync' };
const ROLES = {
  minItems: 1,
  maxItems: 20,
  description: '`admin`, `member`, `viewer`, or the name of a workspace or app role; never `owner`',
  example: ['member'],
};

export class ServiceAccountInput {
  @TextField(NAME) name: string;
  @ListField(roleName, ROLES) roles: string[];

  @ListField(field.enum(SCOPES), {
    ...SCOPE_LIST,
    description: 'What its keys can access; `:read` scopes are read-only. The roles have to allow each scope',
  })
  scopes: Scope[];
}

export class ServiceAccountChangeInput {
  @TextField({ ...NAME, optional: true, minLength: 1 }) name?: string;
  @ListField(roleName, { ...ROLES, optional: true }) roles?: string[];
  @ListField(field.enum(SCOPES), { ...SCOPE_LIST, optional: true }) scopes?: Scope[];

  @EnumField(['active', 'disabled'], {
    optional: true,
    description: "The keys of a disabled account don't work until it is active again",
  })
  status?: ServiceAccountStatus;
}

export class ServiceAccountView {
  @IdField() id: string;
  @TextField({ maxLength: 100 }) name: string;
  @ListField(field.text({ maxLength: 40 }), { example: ['member'] }) roles: string[];
  @ListField(field.text({ maxLength: 40 }), { example: ['leads', 'contacts:read'] }) scopes: string[];
  @EnumField(['active', 'disabled']) status: string;
  @IdField({ description: 'The user who created it' }) createdBy: string;
  @DateTimeField() createdAt: string;
}

export function serviceAccountView(account: ServiceAccount): ServiceAccountView {
  const { id, name, roles, scopes, status, createdBy } = account;
  return { id, name, roles, scopes, status, createdBy, createdAt: account.createdAt.toISOString() };
}
