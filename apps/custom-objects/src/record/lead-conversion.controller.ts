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
    summary: 'Converts a lead',
    description:
      'Makes a contact of it, and a company and an opportunity, all at once or not at all; the lead stays, and names them. Needs the scopes of what is made. What you cannot read of the lead or write of the others is not carried over. A lead is converted once (`CONFLICT`), again only when its contact is deleted. Publishes `created` of what is made, and `lead.updated`.',
    errors: ['FIELD_ACCESS_DENIED', 'CONFLICT'],
    answers: [{ status: 200, description: 'What the lead has become', body: () => ConversionView }],
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
