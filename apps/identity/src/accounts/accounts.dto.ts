import type { Principal } from '@crm/access';
import { PLANS, type Plan, rolesAllow, TENANT_ROLES } from '@crm/contracts';
import {
  BooleanField,
  DateTimeField,
  EmailField,
  EnumField,
  field,
  IntegerField,
  ListField,
  ListQuery,
  ObjectField,
  TextField,
} from '@crm/http';
import { shownAddress, USER_STATUSES, type User, type UserStatus } from '../people/people.entity.js';
import { UserSummaryView } from '../people/people.service.js';
import { COUNTRY, Workspace } from '../people/workspace.dto.js';
import { roleName } from '../roles/role.dto.js';
import { NEW_PASSWORD, PASSWORD_LENGTH } from '../sign-in/password.service.js';
import { CURRENT_PASSWORD, ReauthenticationInput } from '../sign-in/sign-in.dto.js';

export class EmailChangeInput extends ReauthenticationInput {
  @EmailField({ description: 'The new address', example: 'ada@acme.test' }) email: string;
  @TextField(CURRENT_PASSWORD) password?: string;
}

const TOKEN = { maxLength: 200, example: 'b3BhcXVlLXRva2Vu', description: 'The token from the emailed link' };

export class EmailChangeTokenInput {
  @TextField(TOKEN) token: string;
}

export class VerificationInput extends EmailChangeTokenInput {}

export class WorkspaceInput {
  @TextField({ maxLength: 200, pattern: /\S/, example: 'Acme' }) name: string;

  @EnumField(PLANS, {
    optional: true,
    description: '`developer` by default; other plans are accepted in the development profile only',
  })
  plan?: Plan;

  @TextField({ optional: true, minLength: 1, maxLength: 64, description: 'IANA time zone', example: 'Europe/Berlin' })
  timeZone?: string;

  @TextField({ ...COUNTRY, optional: true, nullable: true }) country?: string | null;
}

export class RegistrationInput {
  @EmailField({ example: 'dev@acme.test' }) email: string;
  @TextField(NEW_PASSWORD) password: string;
  @TextField({ maxLength: 200, pattern: /\S/, example: 'Ada Lovelace' }) name: string;
  @ObjectField(() => WorkspaceInput) workspace: WorkspaceInput;
}

export class RegistrationView {
  @ObjectField(() => UserSummaryView) user: UserSummaryView;
  @ObjectField(() => Workspace) tenant: Workspace;
}

export class PasswordChangeInput extends ReauthenticationInput {
  @TextField({
    maxLength: PASSWORD_LENGTH.max,
    description: 'The current password',
    example: 'correct-horse-battery-staple',
  })
  currentPassword: string;

  @TextField({ ...NEW_PASSWORD, example: 'tidal-lantern-orbits-quietly' }) newPassword: string;
}

export class PasswordResetInput {
  @EmailField({ example: 'dev@acme.test' }) email: string;
}

/** The same for every address. */
export class PasswordResetView {
  @BooleanField({ description: 'Always true, whether or not the address has an account' }) accepted: boolean;
}

export class PasswordResetCompletionInput {
  @TextField(TOKEN) token: string;
  @TextField({ ...NEW_PASSWORD, description: 'The new password' }) password: string;

  @BooleanField({
    optional: true,
    description:
      "Whether to remove the account's passkeys, which sign in without the password; `false` by default. A call with this member gets the number of passkeys in the response",
  })
  removePasskeys?: boolean;
}

export class PasswordResetCompletionView {
  @IntegerField({ minimum: 0, description: 'Passkeys that still sign in to the account', example: 0 }) passkeys: number;
  @IntegerField({ minimum: 0, description: 'Passkeys that were removed', example: 2 }) passkeysRemoved: number;
}

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
