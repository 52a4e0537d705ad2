import { IdField, JsonValueField } from '@crm/http';

export class ConvertLeadInput {
  @IdField({ optional: true, description: 'An existing contact to use; a new one is created by default' })
  contactId?: string;

  @IdField({
    optional: true,
    description: "An existing company to use; by default the contact's company, or a new one if the lead names one",
  })
  companyId?: string;

  @JsonValueField({
    optional: true,
    description: '`true`, or the fields of the opportunity to create. Its name is derived from the lead by default',
    example: { name: 'Analytical Engines: 50 seats', amount: 42000, currency: 'EUR' },
  })
  createOpportunity?: unknown;
}

export class ConversionView {
  @IdField() contactId: string;
  @IdField({ nullable: true, description: 'Null if the lead names no company' }) companyId: string | null;
  @IdField({ optional: true }) opportunityId?: string;
}
