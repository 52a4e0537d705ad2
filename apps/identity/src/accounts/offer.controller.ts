import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, IdParam } from '@crm/http';
import { Controller, Get, Post } from '@nestjs/common';
import { SIGN_IN_GROUP } from '../api-groups.js';
import { OffersView } from './offer.dto.js';
import { OfferService } from './offer.service.js';

@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth/workspaces/offers')
export class OfferController {
  constructor(private readonly offers: OfferService) {}

  @Get()
  @Access({ right: 'read', person: 'reach' })
  @Describe({
    summary: 'List your workspace offers',
    description:
      "Invitations, and users that workspaces have added or registered with the person's address. Empty if the person hasn't verified their address, and in a session opened by an identity provider. Host users and closed or suspended workspaces aren't offered.",
    answers: [{ status: 200, description: 'The offers', body: () => OffersView }],
  })
  async list(@CurrentPrincipal() principal: Principal): Promise<OffersView> {
    return { data: await this.offers.list(principal) };
  }

  @Post(':userId/accept')
  @Access({ right: 'read', proof: true, person: 'proof' })
  @Describe({
    summary: 'Accept a workspace offer',
    description:
      'The person joins the workspace with their existing password. Sessions, passkeys, keys, and the password of an earlier user of the account end; what they created stays. A disabled user stays disabled. `CONFLICT` if the person already has another account in the workspace, or is in too many workspaces.',
    answers: [{ status: 204, description: 'The person has joined the workspace' }],
    errors: ['NOT_FOUND', 'CONFLICT'],
  })
  async accept(@CurrentPrincipal() principal: Principal, @IdParam('userId') userId: string): Promise<void> {
    await this.offers.accept(principal, userId);
  }

  @Post(':userId/decline')
  @Access({ right: 'read', proof: true, person: 'proof' })
  @Describe({
    summary: 'Decline a workspace offer',
    description:
      "An invited user is deleted. Any other account keeps working in its workspace and isn't offered or emailed again.",
    answers: [{ status: 204, description: 'Invitation declined' }],
    errors: ['NOT_FOUND', 'STEP_UP_REQUIRED'],
  })
  async decline(@CurrentPrincipal() principal: Principal, @IdParam('userId') userId: string): Promise<void> {
    await this.offers.decline(principal, userId);
  }
}
