import { Public } from '@crm/access';
import { PlatformError, rpc } from '@crm/contracts';
import { Describe, NotRepeatable } from '@crm/http';
import { Rpc } from '@crm/messaging';
import { Body, Controller, Headers, Ip, Post } from '@nestjs/common';
import { EmbedSessionInput, EmbedSessionView } from './embed-session.dto.js';
import { MintLimit } from './mint-limit.js';

/** Longest credential that is looked at; real ones are below 64 characters. */
const MAX_CREDENTIAL = 200;

@Controller('api/auth/v1/embed/sessions')
export class EmbedSessionController {
  constructor(
    private readonly rpc: Rpc,
    private readonly limit: MintLimit,
  ) {}

  @Post()
  @NotRepeatable()
  @Public()
  @Describe({
    summary: 'Mints an embed token for a user of the host',
    description:
      "Called by the host's backend with `X-Embed-Key` and `X-Embed-Secret`; the secret never reaches a browser.",
    answers: [{ status: 201, description: 'The token', body: () => EmbedSessionView }],
    refusals: ['INVALID_EMBED_CREDENTIALS', 'EMBED_USER_DISABLED', 'EMBED_SCOPE_DENIED', 'EMBED_IDENTITY_CONFLICT'],
  })
  async mint(
    @Headers('x-embed-key') clientId: string | undefined,
    @Headers('x-embed-secret') clientSecret: string | undefined,
    @Ip() address: string,
    @Body() input: EmbedSessionInput,
  ): Promise<EmbedSessionView> {
    if (!isCredential(clientId) || !isCredential(clientSecret)) throw new PlatformError('INVALID_EMBED_CREDENTIALS');
    const { embedToken, expiresIn } = await this.limit.attempt(clientId, address, () =>
      this.rpc.call(rpc.identity.mintEmbedToken, { ...input, clientId, clientSecret }),
    );
    return { embed_token: embedToken, expires_in: expiresIn };
  }
}

const isCredential = (value: string | undefined): value is string =>
  value !== undefined && value !== '' && value.length <= MAX_CREDENTIAL;
