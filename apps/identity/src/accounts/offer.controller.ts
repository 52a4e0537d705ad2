import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, IdParam, NotRepeatable } from '@crm/http';
import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { SIGN_IN_GROUP } from '../api-groups.js';
import { CurrentOrigin, type RequestOrigin } from '../audit/request-origin.decorator.js';
import { OffersView } from './offer.dto.js';
import { OfferService } from './offer.service.js';

/** Users with the address of a person, in workspaces that they are not in yet. */
@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth/workspaces/offers')
export class OfferController {
  constructor(private readonly offers: OfferService) {}

  @Get()
  @Access({ right: 'read' })
  @Describe({
    summary: 'Lists the workspaces that are offered to the current person',
    description:
      'Users with the proven address of the caller: whom an administrator has invited or added, or who has registered. At most 50; empty for somebody whose own address is not proven. Users whom a host has brought are not offered.',
    answers: [{ status: 200, description: 'The offers, the oldest first', body: () => OffersView }],
  })
  async list(@CurrentPrincipal() principal: Principal): Promise<OffersView> {
    return { data: await this.offers.list(principal) };
  }

  @Post(':userId/accept')
  @HttpCode(204)
  @NotRepeatable()
  @Access({ right: 'read', proof: true })
  @Describe({
    summary: 'Accepts an offer',
    description:
      'The user becomes a membership of the person, with their password. Whoever used it until then is shut out: sessions, passkeys, second factor, API keys and what apps were allowed end. The person is told by mail. A user who is disabled stays so.',
    answers: [{ status: 204, description: 'The person is in the workspace' }],
    errors: ['CONFLICT'],
  })
  async accept(
    @CurrentPrincipal() principal: Principal,
    @IdParam('userId') userId: string,
    @CurrentOrigin() origin: RequestOrigin,
  ): Promise<void> {
    await this.offers.acceptOffered(principal, userId, origin);
  }

  @Post(':userId/decline')
  @HttpCode(204)
  @NotRepeatable()
  @Access({ right: 'read' })
  @Describe({
    summary: 'Declines an offer',
    description:
      'Somebody who was invited is erased from the workspace; an account that somebody uses goes on there, and is not offered again.',
    answers: [{ status: 204, description: 'It is not offered any more' }],
  })
  async decline(
    @CurrentPrincipal() principal: Principal,
    @IdParam('userId') userId: string,
    @CurrentOrigin() origin: RequestOrigin,
  ): Promise<void> {
    await this.offers.declineOffered(principal, userId, origin);
  }
}
