import { TENANT_ROLES } from '@crm/contracts';
import { BooleanField, DateTimeField, EmailField, EnumField, field, ListField, TextField } from '@crm/http';
import type { User } from '../people/people.entity.js';
import { UserSummaryView } from '../people/user.service.js';
import { PASSWORD_LENGTH } from '../sign-in/password.service.js';

/** A built-in role or a name that the workspace or an app added. */
const roleName = field.text({ maxLength: 40, pattern: /^[a-z][a-z0-9_-]{0,39}$/ });

export class UserInput {
  @EmailField({ example: 'member@acme.test' })
  email: string;

  @TextField({ maxLength: 200, pattern: /\S/, example: 'Grace Hopper' })
  name: string;

  @TextField({
    optional: true,
    minLength: PASSWORD_LENGTH.min,
    maxLength: PASSWORD_LENGTH.max,
    description: 'When left out, the user is invited by e-mail',
    example: 'correct-horse-battery-staple',
  })
  password?: string;

  @ListField(roleName, {
    minItems: 1,
    maxItems: 20,
    description: `${TENANT_ROLES.join(', ')}, or a role name of the workspace or of an app`,
    example: ['member'],
  })
  roles: string[];
}

export class UserChangeInput {
  @TextField({ optional: true, minLength: 1, maxLength: 200, pattern: /\S/, example: 'Grace Hopper' })
  name?: string;

  @ListField(roleName, { optional: true, minItems: 1, maxItems: 20, example: ['viewer'] })
  roles?: string[];

  @EnumField(['active', 'disabled'], { optional: true })
  status?: 'active' | 'disabled';
}

export class UserView extends UserSummaryView {
  @EnumField(['active', 'invited', 'disabled'])
  status: string;

  @EnumField(['registration', 'administrator', 'embed', 'identity_provider'], {
    description: 'How the user was created',
  })
  origin: string;

  @BooleanField()
  mfaEnabled: boolean;

  @DateTimeField()
  createdAt: string;
}

export function userView(user: User): UserView {
  const { id, email, name, roles, status, origin, mfaEnabled } = user;
  return { id, email, name, roles, status, origin, mfaEnabled, createdAt: user.createdAt.toISOString() };
}
