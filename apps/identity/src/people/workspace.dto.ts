import { LANGUAGES, type Language, PLANS, type Plan } from '@crm/contracts';
import { BooleanField, EnumField, IdField, TextField } from '@crm/http';

export const COUNTRY = { maxLength: 2, pattern: /^[A-Z]{2}$/, description: 'ISO 3166-1 alpha-2', example: 'DE' };

/** `TenantView` of the contracts on the wire. */
export class Workspace {
  @IdField() id: string;
  @TextField({ maxLength: 200 }) name: string;
  @EnumField(PLANS) plan: Plan;
  @TextField({ maxLength: 64 }) timeZone: string;
  @TextField({ maxLength: 2, nullable: true }) country: string | null;

  @TextField({ optional: true, maxLength: 3, description: 'ISO 4217, for new amounts', example: 'EUR' })
  currency?: string;

  @EnumField(LANGUAGES, { optional: true }) language?: Language;

  @BooleanField({
    optional: true,
    description:
      "False until the workspace's email address is verified. Until then it can't add users, mint for new host users, or submit apps",
    example: true,
  })
  verified?: boolean;
}

/** What is left out stays. */
export class WorkspaceChangeInput {
  @TextField({ optional: true, minLength: 1, maxLength: 200, pattern: /\S/, example: 'Acme' }) name?: string;

  @TextField({ optional: true, minLength: 1, maxLength: 64, description: 'IANA time zone', example: 'Europe/Berlin' })
  timeZone?: string;

  @TextField({ ...COUNTRY, optional: true, nullable: true }) country?: string | null;

  @TextField({ optional: true, maxLength: 3, pattern: /^[A-Z]{3}$/, description: 'ISO 4217', example: 'EUR' })
  currency?: string;

  @EnumField(LANGUAGES, { optional: true }) language?: Language;
}
