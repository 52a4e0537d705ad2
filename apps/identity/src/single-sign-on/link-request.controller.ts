import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, IdParam, NotRepeatable } from '@crm/http';
import { Controller, Get, HttpCode, Post } from '@nestjs/common';
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
    summary: 'Lists who waits to be linked to a user',
    description:
      'Somebody whom the provider presents with the address of a user whom it has known by another id: perhaps the address was given to somebody else. They wait for an owner, seven days; the oldest first, 200 at most.',
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
  @HttpCode(204)
  @NotRepeatable()
  @Access({ right: 'own', proof: true })
  @Describe({
    summary: 'Links somebody to the user who has their address',
    description:
      'They sign in as the user from now on, with everything that the user may do and has; whoever the provider knew as the user before no longer does, and their sessions, API keys and apps end. The user is told by mail.',
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
  @HttpCode(204)
  @NotRepeatable()
  @Access({ right: 'own', proof: true })
  @Describe({
    summary: 'Refuses to link somebody to the user who has their address',
    description:
      'Their sign-ins are refused with `link_denied` for the rest of the seven days. Remove the former user, or give them another address at the provider and have them sign in; then the next sign-in makes a user of its own.',
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
