import { BooleanField, field, IdField, ListField, TextField } from '@crm/http';

/** A user with the address of a person, who can make it their membership. */
export class OfferView {
  @IdField() userId: string;
  @IdField() tenantId: string;
  @TextField({ maxLength: 200, description: 'Name of the workspace', example: 'Acme' }) workspace: string;
  @ListField(field.text({ maxLength: 40 }), { example: ['member'] }) roles: string[];
  @BooleanField({
    description: 'Whether an administrator waits for an answer; otherwise somebody uses the account already',
    example: true,
  })
  invited: boolean;
}

export class OffersView {
  @ListField(() => OfferView, {}) data: OfferView[];
}

export class InvitationView {
  @TextField({ maxLength: 200, description: 'Name of the workspace', example: 'Acme' }) workspace: string;
  @TextField({ maxLength: 254, example: 'new@acme.test' }) email: string;
  @BooleanField({ description: 'Whether the address has no account yet, so that accepting takes a password' })
  needsPassword: boolean;
}
