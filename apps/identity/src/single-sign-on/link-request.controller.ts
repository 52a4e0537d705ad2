import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, IdParam, NotRepeatable } from '@crm/http';
import { Controller, Get, Post } from '@nestjs/common';
import { SINGLE_SIGN_ON_GROUP } from '../api-groups.js';
import { LinkRequestService } from './link-request.service.js';
import { LinkRequestListView } from './single-sign-on.dto.js';

@ApiGroup(SINGLE_SIGN_ON_GROUP)
@Controller('api/tenant/identity-providers/:id/link-requests')
export class LinkRequestController {
  constructor(private readonly requests: LinkRequestService) {}

  @Get()
  @Access({ right: 'own', proof: false })
  @Describe({
    summary: 'List link requests',
    description:
      "The provider has given a user's address to another account (`sub`). Owners have 7 days to decide on a request. Up to 200, oldest first.",
    answers: [{ status: 200, description: 'The requests', body: () => LinkRequestListView }],
  })
  async list(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<LinkRequestListView> {
    const found = await this.requests.list(principal, id);
    const data = found.map(({ id, sub, email, name, userId, createdAt, expiresAt }) => ({
      ...{ id, sub, email, name, userId },
      createdAt: createdAt.toISOString(),
      expiresAt: expiresAt.toISOString(),
    }));
    return { data };
  }

  @Post(':requestId/approve')
  @NotRepeatable()
  @Access({ right: 'own', proof: true })
  @Describe({
    summary: 'Approve a link request',
    description:
      "The account at the provider signs in as the user from then on. The previous account no longer does, and the user's sessions, API keys, and connected apps end. The user is notified by email.",
    answers: [{ status: 204, description: 'Linked' }],
    errors: ['CONFLICT'],
  })
  async approve(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: string,
    @IdParam('requestId') requestId: string,
  ): Promise<void> {
    await this.requests.approve(principal, id, requestId);
  }

  @Post(':requestId/deny')
  @NotRepeatable()
  @Access({ right: 'own', proof: true })
  @Describe({
    summary: 'Deny a link request',
    description:
      'Sign-ins with the account are rejected with `link_denied` for the rest of the 7 days. To let it in as a new user, remove the user who has the address, or change their address at the provider and have them sign in once.',
    answers: [{ status: 204, description: 'Refused' }],
  })
  async deny(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: string,
    @IdParam('requestId') requestId: string,
  ): Promise<void> {
    await this.requests.deny(principal, id, requestId);
  }
}
