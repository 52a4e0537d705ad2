import { Public } from '@crm/access';
import { ApiGroup, Describe, NotRepeatable } from '@crm/http';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { USER_GROUP } from '../../api-groups.js';
import { CurrentOrigin, type RequestOrigin } from '../../audit/trail/request-origin.decorator.js';
import { FirstLinkService } from '../embed-user/first-link.service.js';
import { UndoLinkInput } from './embed-link.dto.js';

@ApiGroup(USER_GROUP)
@Controller('api/auth/embed-links/undo')
export class UndoLinkController {
  constructor(private readonly firstLinks: FirstLinkService) {}

  @Post()
  @HttpCode(204)
  @NotRepeatable()
  @Public()
  @Describe({
    summary: 'Undoes a link to a host user',
    description:
      'The token comes from the mail that told the user of the link, and works once. The host gets no more tokens for this host user until an administrator links them again, and the tokens of the user stop working.',
    answers: [{ status: 204, description: 'The link is undone' }],
    errors: ['INVALID_UNDO_LINK'],
  })
  async undo(@Body() { token }: UndoLinkInput, @CurrentOrigin() origin: RequestOrigin): Promise<void> {
    await this.firstLinks.undo(token, origin);
  }
}
