import { Proven, Public, StrategyGuard } from '@crm/access';
import { ApiGroup, BodyLimit, CREDENTIALS_BODY_LIMIT, Describe, NotRepeatable } from '@crm/http';
import { Controller, Post, UseGuards } from '@nestjs/common';
import { EMBED_CLIENT_HEADERS, EmbedClientStrategy, type MintedToken } from './embed-client.strategy.js';
import { EmbedSessionInput, EmbedSessionView } from './embed-session.dto.js';

@ApiGroup({
  name: 'Embedding',
  description: 'Tokens for users of a host application.',
})
@Controller('api/auth/v1/embed/sessions')
export class EmbedSessionController {
  @Post()
  @UseGuards(StrategyGuard(EmbedClientStrategy))
  @NotRepeatable()
  @BodyLimit(CREDENTIALS_BODY_LIMIT)
  @Public()
  @Describe({
    summary: 'Mint an embed token for a host user',
    description:
      "Call it from the host's backend with `X-Embed-Key` and `X-Embed-Secret`; never send the secret to a browser. An unknown host user becomes a member of the app's workspace. Linking by email address never grants a role higher than those of the user who issued the credentials. The plan limits new host users per day. An app whose hosts present more than 20 addresses of other workspaces per hour is throttled.",
    headers: EMBED_CLIENT_HEADERS,
    body: { dto: () => EmbedSessionInput },
    answers: [{ status: 201, description: 'The token', body: () => EmbedSessionView }],
    errors: [
      'INVALID_EMBED_CREDENTIALS',
      'EMBED_USER_DISABLED',
      'ROLE_NOT_GRANTABLE',
      'WORKSPACE_SUSPENDED',
      'EMBED_SCOPE_DENIED',
      'EMBED_APP_ENDED',
      'EMBED_IDENTITY_CONFLICT',
      'EMAIL_NOT_VERIFIED',
    ],
  })
  mint(@Proven() { embedToken, expiresIn }: MintedToken): EmbedSessionView {
    return { embed_token: embedToken, expires_in: expiresIn };
  }
}
