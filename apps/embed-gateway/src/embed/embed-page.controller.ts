import { Public } from '@crm/access';
import { rpc } from '@crm/contracts';
import { Describe, newNonce, type ReplyHead } from '@crm/http';
import { Rpc } from '@crm/messaging';
import { Controller, Get, Header, Headers, Inject, Ip, Param, Res } from '@nestjs/common';
import { EMBED_GATEWAY_CONFIG, type EmbedGatewayConfig } from '../config.js';
import { contentSecurityPolicy, PageFilesService, PageLimit } from './embed-page.js';

/** A host page that requires its frames to say so can frame the page too; what the page loads is of its own origin. */
const EMBEDDER_POLICY = ['Cross-Origin-Embedder-Policy', 'require-corp'] as const;

/** The page that a host frames. Every request asks who may frame it, so a change of origins takes effect at once. */
@Controller('embed')
export class EmbedPageController {
  constructor(
    private readonly rpc: Rpc,
    private readonly files: PageFilesService,
    private readonly limit: PageLimit,
    @Inject(EMBED_GATEWAY_CONFIG) private readonly config: EmbedGatewayConfig,
  ) {}

  /** An unknown client gets the same page, which nobody may frame: the address does not reveal which clients exist. */
  @Get(':clientId')
  @Public()
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Cache-Control', 'no-store')
  @Header('X-Content-Type-Options', 'nosniff')
  @Header('Referrer-Policy', 'no-referrer')
  @Header('Permissions-Policy', 'camera=(), geolocation=(), microphone=()')
  @Header(...EMBEDDER_POLICY)
  @Header('Cross-Origin-Resource-Policy', 'cross-origin')
  @Describe({ summary: 'Get the embed page', hidden: true })
  async page(
    @Param('clientId') clientId: string,
    @Ip() address: string,
    @Res({ passthrough: true }) reply: ReplyHead,
  ): Promise<string> {
    const { baseUrl } = this.config.service;
    const { origin } = new URL(baseUrl);
    const nonce = newNonce();
    // Set first: if the origins cannot be read, the error answer must not be framed either.
    reply.header('Content-Security-Policy', contentSecurityPolicy([], origin, nonce));
    await this.limit.admit(address);
    const { allowedOrigins } = await this.rpc.call(rpc.identity.getEmbedOrigins, { clientId });
    reply.header('Content-Security-Policy', contentSecurityPolicy(allowedOrigins, origin, nonce));
    return this.files.documentWith({ nonce, 'data-origins': allowedOrigins.join(' '), 'data-api': baseUrl });
  }

  @Get('assets/:name')
  @Public()
  @Header(...EMBEDDER_POLICY)
  @Header('X-Content-Type-Options', 'nosniff')
  @Describe({ summary: 'Get a script or style of the embed page', hidden: true })
  asset(
    @Param('name') name: string,
    @Headers('accept-encoding') accepted: string | undefined,
    @Res({ passthrough: true }) reply: ReplyHead,
  ): Buffer {
    return this.files.sendAsset(name, accepted, reply);
  }
}
