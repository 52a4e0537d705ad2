import type { Principal } from '@crm/access';
import { rolesAllow, TENANT_ROLES } from '@crm/contracts';
import { BooleanField, DateTimeField, EmailField, EnumField, field, ListField, ListQuery, TextField } from '@crm/http';
import { NEW_PASSWORD } from '../passwords/password-policy.js';
import { shownAddress, USER_STATUSES, type User, type UserStatus } from '../people/people.entity.js';
import { UserSummaryView } from '../people/user-summary.dto.js';
import { roleName } from '../roles/role.dto.js';

export class UserInput {
  @EmailField({ example: 'member@acme.test' }) email: string;
  @TextField({ maxLength: 200, pattern: /\S/, example: 'Grace Hopper' }) name: string;

  @TextField({ ...NEW_PASSWORD, optional: true, description: 'Leave it out to invite the user by email' })
  password?: string;

  @ListField(roleName, {
    minItems: 1,
    maxItems: 20,
    description: `${TENANT_ROLES.join(', ')}, or a role of the workspace or of an app (\`GET /api/tenant/roles\`)`,
    example: ['member'],
  })
  roles: string[];
}

export class UserChangeInput {
  @TextField({ optional: true, minLength: 1, maxLength: 200, pattern: /\S/, example: 'Grace Hopper' }) name?: string;
  @ListField(roleName, { optional: true, minItems: 1, maxItems: 20, example: ['viewer'] }) roles?: string[];
  @EnumField(['active', 'disabled'], { optional: true }) status?: 'active' | 'disabled';
}

export class UserListQuery extends ListQuery {
  @TextField({
    optional: true,
    maxLength: 100,
    description: 'The beginning of a word in the name or address',
    example: 'gra',
  })
  q?: string;

  @ListField(field.id(), { optional: true, maxItems: 200, description: 'Only users with these IDs' }) ids?: string[];
  @EnumField(USER_STATUSES, { optional: true }) status?: UserStatus;
}

export class UserView extends UserSummaryView {
  @EnumField(USER_STATUSES) status: UserStatus;

  @EnumField(['registration', 'administrator', 'embed', 'identity_provider'], {
    description: 'How the user was created',
  })
  origin: string;

  @BooleanField({
    optional: true,
    description: 'Whether two-step verification is on; visible to the user and to admins',
  })
  mfaEnabled?: boolean;

  @DateTimeField() createdAt: string;
}

/** Only administrators and the user themselves see whether an account has no second factor. */
export function userView(reader: Pick<Principal, 'userId' | 'roles'>, user: User): UserView {
  const { id, name, roles, status, origin, mfaEnabled } = user;
  const seesFactor = id === reader.userId || rolesAllow(reader.roles, 'administer');
  const createdAt = user.createdAt.toISOString();
  const view = { id, email: shownAddress(user), name, roles, status, origin, createdAt };
  return seesFactor ? { ...view, mfaEnabled } : view;
}
