import { BooleanField, field, ListField, ObjectField } from '@crm/http';
import { Workspace } from '@crm/identity-views';
import { UserSummaryView } from '../people/user.dto.js';

/** The user that an access token was issued for, and their workspace. */
export class CallerView extends UserSummaryView {
  @ListField(field.text({ maxLength: 40 }), {
    description: 'Scopes that limit the token; an empty list means that the role alone decides',
  })
  scopes: string[];

  @BooleanField()
  mfaEnabled: boolean;

  @ObjectField(() => Workspace)
  tenant: Workspace;
}
