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
    summary: 'Lists what workspaces offer to the current user',
    description:
      'Invitations, and users that workspaces have added or registered with the address of the person. Empty for whoever has not verified their own address, and in a session that a provider has opened. Users of host applications, and workspaces that are closed or suspended, are not offered.',
    answers: [{ status: 200, description: 'The offers', body: () => OffersView }],
  })
  async list(@CurrentPrincipal() principal: Principal): Promise<OffersView> {
    return { data: await this.offers.list(principal) };
  }

  @Post(':userId/accept')
  @Access({ right: 'read', proof: true, person: 'proof' })
  @Describe({
    summary: 'Accepts an offer of a workspace',
    description:
      'The person is then in the workspace too, with the password that they have. Sessions, passkeys, keys and the password of whoever used the account before end; what they made stays. A disabled user stays disabled. `CONFLICT` for who is another user of the workspace already, or in too many.',
    answers: [{ status: 204, description: 'The person is in the workspace' }],
    errors: ['NOT_FOUND', 'CONFLICT'],
  })
  async accept(@CurrentPrincipal() principal: Principal, @IdParam('userId') userId: string): Promise<void> {
    await this.offers.accept(principal, userId);
  }

  @Post(':userId/decline')
  @Access({ right: 'read', proof: true, person: 'proof' })
  @Describe({
    summary: 'Declines an offer of a workspace',
    description:
      'An invited user is gone then; another account keeps working in its workspace, without being offered or mailed again.',
    answers: [{ status: 204, description: 'It is declined' }],
    errors: ['NOT_FOUND', 'STEP_UP_REQUIRED'],
  })
  async decline(@CurrentPrincipal() principal: Principal, @IdParam('userId') userId: string): Promise<void> {
    await this.offers.decline(principal, userId);
  }
}
