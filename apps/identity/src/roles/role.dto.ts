import { ROLE_NAME_PATTERN } from '@crm/contracts';
import { EnumField, field, ListField, TextField } from '@crm/http';

const NAME = { maxLength: 40, pattern: new RegExp(ROLE_NAME_PATTERN), example: 'sales' };

/** A built-in role, or one of the workspace or of an app. */
export const roleName = field.text({ maxLength: NAME.maxLength, pattern: NAME.pattern });

export class RoleInput {
  @TextField(NAME) name: string;
  @TextField({ maxLength: 100, pattern: /\S/, example: 'Sales' }) label: string;
}

export class RoleView {
  @TextField({ maxLength: 40, example: 'sales' }) name: string;
  @TextField({ maxLength: 100, example: 'Sales' }) label: string;

  @EnumField(['builtin', 'workspace', 'app'], {
    description: 'The role of an uninstalled app stays, without `appKeys`, while someone has it',
  })
  origin: 'builtin' | 'workspace' | 'app';

  @ListField(field.text({ maxLength: 64 }), {
    description: 'The installed apps that declare the role',
    example: ['acme-site-visits'],
  })
  appKeys: string[];
}

export class RoleListView {
  @ListField(() => RoleView) data: RoleView[];
}
