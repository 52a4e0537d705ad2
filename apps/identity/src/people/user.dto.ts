import { EmailField, field, IdField, ListField, TextField } from '@crm/http';

/** Who a user is. */
export class UserSummaryView {
  @IdField()
  id: string;

  @EmailField()
  email: string;

  @TextField({ maxLength: 200 })
  name: string;

  @ListField(field.text({ maxLength: 40 }), { example: ['member'] })
  roles: string[];
}
