import { IdField, JsonValueField } from '@crm/http';

export class ConvertLeadInput {
  @IdField({ optional: true, description: 'The contact that the lead is; a new one by default' })
  contactId?: string;

  @IdField({
    optional: true,
    description:
      'The company that the lead belongs to; by default that of the contact, else a new one if the lead names one',
  })
  companyId?: string;

  @JsonValueField({
    optional: true,
    description: '`true`, or fields of the opportunity that is to be created: its name follows from the lead otherwise',
    example: { name: 'Analytical Engines: 50 seats', amount: 42000, currency: 'EUR' },
  })
  createOpportunity?: unknown;
}

export class ConversionView {
  @IdField() contactId: string;
  @IdField({ nullable: true, description: 'Null when the lead names no company' }) companyId: string | null;
  @IdField({ optional: true }) opportunityId?: string;
}
