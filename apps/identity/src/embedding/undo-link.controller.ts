import { Public } from '@crm/access';
import { ApiGroup, Describe, NotRepeatable } from '@crm/http';
import { Body, Controller, Post } from '@nestjs/common';
import { USER_GROUP } from '../api-groups.js';
import { CurrentOrigin, type RequestOrigin } from '../audit/request-origin.decorator.js';
import { UndoLinkInput } from './embed-link.dto.js';
import { EmbedLinkService } from './embed-link.service.js';

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
