import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { headerCall, IdempotencyKey } from '@crm/database';
import { ApiGroup, Describe, IdParam } from '@crm/http';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ConversionView, ConvertLeadInput } from './lead-conversion.dto.js';
import { LeadConversionService } from './lead-conversion.service.js';
import { LEAD_GROUP } from './record-routes.js';

@ApiGroup(LEAD_GROUP)
@Controller('api/crm/leads')
export class LeadConversionController {
  constructor(private readonly conversions: LeadConversionService) {}

  @Post(':id/convert')
  @HttpCode(200)
  @Access({ right: 'write', scope: 'leads' })
  @Describe({
    summary: 'Convert a lead',
    description:
      "Creates a contact and, if wanted, a company and an opportunity, all or none. The lead stays and refers to them. Requires the scopes of the created records. Fields you can't read on the lead or write on the others aren't copied. A lead can be converted once (`CONFLICT`), and again only after its contact is deleted. Publishes `created` for each new record, and `lead.updated`.",
    errors: ['FIELD_ACCESS_DENIED', 'CONFLICT'],
    answers: [{ status: 200, description: 'The records the lead was converted to', body: () => ConversionView }],
  })
  convert(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: string,
    @Body() input: ConvertLeadInput,
    @IdempotencyKey() key: string | undefined,
  ): Promise<ConversionView> {
    const call = headerCall(principal, `POST /api/crm/leads/${id}/convert`, key, input);
    return this.conversions.convert(principal, id, input, call);
  }
}
