import { EmailField, field, IdField, ListField, TextField } from '@crm/http';

export class UserSummaryView {
  @IdField() id: string;
  @EmailField({
    nullable: true,
    description: 'Null for a host user whose address belongs to another user of the workspace',
  })
  email: string | null;
  @TextField({ maxLength: 200 }) name: string;
  @ListField(field.text({ maxLength: 40 }), { example: ['member'] }) roles: string[];
}
