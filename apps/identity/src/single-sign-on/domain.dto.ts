import { BooleanField, DateTimeField, ListField, ObjectField, TextField } from '@crm/http';

const DOMAIN = { maxLength: 253, example: 'example.com' };

export class DomainInput {
  @TextField({ ...DOMAIN, description: 'The part of e-mail addresses after the @' }) domain: string;
}

/** The record that proves a domain. */
export class DomainRecordView {
  @TextField({ maxLength: 300, example: '_crm-challenge.example.com' }) name: string;
  @TextField({ maxLength: 3, example: 'TXT' }) type: string;

  @TextField({ maxLength: 100, description: 'What the record has to say; it does not have to be kept secret' })
  value: string;
}

export class DomainView {
  @TextField(DOMAIN) domain: string;
  @ObjectField(() => DomainRecordView) record: DomainRecordView;
  @BooleanField({ description: 'Whether the domain belongs to the workspace' }) verified: boolean;
  @DateTimeField({ nullable: true }) verifiedAt: string | null;

  @DateTimeField({
    nullable: true,
    description: 'Since when the daily check has not found the record; three days later the domain is lost',
  })
  missingSince: string | null;
}

export class DomainListView {
  @ListField(() => DomainView) data: DomainView[];
}

/** Whether a workspace requires single sign-on, as body and as answer. */
export class RequirementInput {
  @BooleanField({ description: 'Whether passwords of users who are not owners are refused', example: true })
  required: boolean;
}

export class RequirementView extends RequirementInput {}
