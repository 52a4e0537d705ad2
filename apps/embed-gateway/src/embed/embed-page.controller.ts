import { Public } from '@crm/access';
import { rpc } from '@crm/contracts';
import { Describe, encodedFor } from '@crm/http';
import { Rpc } from '@crm/messaging';
import { Controller, Get, Header, Headers, Inject, Ip, Param, Res } from '@nestjs/common';
import { EMBED_GATEWAY_CONFIG, type EmbedGatewayConfig } from '../config.js';
import { contentSecurityPolicy, embedPage, PageFilesService, PageLimit } from './embed-page.js';

/** The part of the HTTP reply that the page needs. */
interface Reply {
  header(name: string, value: string): Reply;
}

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
  @Describe({ summary: 'Returns the embed page', hidden: true })
  async page(
    @Param('clientId') clientId: string,
    @Ip() address: string,
    @Res({ passthrough: true }) reply: Reply,
  ): Promise<string> {
    const { baseUrl } = this.config.service;
    // Set first: if the origins cannot be read, the error answer must not be framed either.
    reply.header('Content-Security-Policy', contentSecurityPolicy([], new URL(baseUrl).origin));
    await this.limit.admit(address);
    const { allowedOrigins } = await this.rpc.call(rpc.identity.getEmbedOrigins, { clientId });
    reply.header('Content-Security-Policy', contentSecurityPolicy(allowedOrigins, new URL(baseUrl).origin));
    return embedPage(this.files.document, allowedOrigins, baseUrl);
  }

  /** A name contains a hash of the content, so that what is behind it never changes. */
  @Get('assets/:name')
  @Public()
  @Header('X-Content-Type-Options', 'nosniff')
  @Header('Cross-Origin-Resource-Policy', 'same-origin')
  @Header('Vary', 'Accept-Encoding')
  @Describe({ summary: 'Returns a script or style of the embed page', hidden: true })
  asset(
    @Param('name') name: string,
    @Headers('accept-encoding') accepted: string | undefined,
    @Res({ passthrough: true }) reply: Reply,
  ): Buffer {
    const asset = this.files.getAsset(name);
    const { coding, content } = encodedFor(asset, accepted);
    // Not by a decorator: a name that is not there must not stay missing for a year.
    reply.header('Cache-Control', 'public, max-age=31536000, immutable').header('Content-Type', asset.type);
    if (coding !== undefined) reply.header('Content-Encoding', coding);
    return content;
  }
}
