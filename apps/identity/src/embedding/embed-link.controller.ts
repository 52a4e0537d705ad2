import { Access, CurrentPrincipal, type Principal, Public } from '@crm/access';
import { ApiGroup, Describe, NotRepeatable } from '@crm/http';
import { Body, Controller, Get, Post, Put, Query } from '@nestjs/common';
import { USER_GROUP } from '../api-groups.js';
import { CurrentOrigin, type RequestOrigin } from '../audit/request-origin.decorator.js';
import { EmbedLinkInput, EmbedLinkListView, EmbedLinkQuery, EmbedLinkView, UndoLinkInput } from './embed-link.dto.js';
import { EmbedLinkService } from './embed-link.service.js';

@ApiGroup(USER_GROUP)
@Controller('api/tenant/embed-links')
@Access({ right: 'administer', proof: false })
export class EmbedLinkController {
  constructor(private readonly links: EmbedLinkService) {}

  @Get()
  @Describe({
    summary: 'Find the user linked to a host user',
    description: "The list is empty if the host user isn't linked or the user has undone the link.",
    answers: [{ status: 200, description: 'The link, or an empty list', body: () => EmbedLinkListView }],
  })
  async find(
    @CurrentPrincipal() principal: Principal,
    @Query() { appKey, sub }: EmbedLinkQuery,
  ): Promise<EmbedLinkListView> {
    return { data: await this.links.list(principal, appKey, sub) };
  }

  @Put()
  @Access({ right: 'administer', proof: true })
  @Describe({
    summary: 'Link a host user to a user',
    description: "Needed if the app doesn't link users by email. Replaces an existing link.",
    answers: [{ status: 200, description: 'The link', body: () => EmbedLinkView }],
    errors: ['ROLE_NOT_GRANTABLE'],
  })
  async link(@CurrentPrincipal() principal: Principal, @Body() input: EmbedLinkInput): Promise<EmbedLinkView> {
    return this.links.link(principal, input);
  }
}

@ApiGroup(USER_GROUP)
@Controller('api/auth/embed-links/undo')
export class UndoLinkController {
  constructor(private readonly links: EmbedLinkService) {}

  @Post()
  @NotRepeatable()
  @Public()
  @Describe({
    summary: 'Undo a link to a host user',
    description:
      "The token comes from the email about the link and works once. The host gets no tokens for this host user until an admin links them again, and the user's tokens stop working.",
    answers: [{ status: 204, description: 'The link is undone' }],
    errors: ['INVALID_UNDO_LINK'],
  })
  async undo(@Body() { token }: UndoLinkInput, @CurrentOrigin() origin: RequestOrigin): Promise<void> {
    await this.links.undo(token, origin);
  }
}
