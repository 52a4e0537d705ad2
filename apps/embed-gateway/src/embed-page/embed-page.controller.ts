import { Public } from '@crm/access';
import { rpc } from '@crm/contracts';
import { Describe } from '@crm/http';
import { Rpc } from '@crm/messaging';
import { Controller, Get, Header, Inject, Param, Res } from '@nestjs/common';
import { EMBED_GATEWAY_CONFIG, type EmbedGatewayConfig } from '../config.js';
import { contentSecurityPolicy, embedPage, PAGE_SCRIPT, PAGE_STYLE } from './embed-page.js';

/** The part of the HTTP reply that the page needs. */
interface Reply {
  header(name: string, value: string): Reply;
}

/** The page that a host frames. Every request asks who may frame it, so a change of origins takes effect at once. */
@Controller('embed')
export class EmbedPageController {
  constructor(
    private readonly rpc: Rpc,
    @Inject(EMBED_GATEWAY_CONFIG) private readonly config: EmbedGatewayConfig,
  ) {}

  /** An unknown client gets the same page, which nobody may frame: the address does not reveal which clients exist. */
  @Get(':clientId')
  @Public()
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Cache-Control', 'no-store')
  @Header('X-Content-Type-Options', 'nosniff')
  @Header('Referrer-Policy', 'no-referrer')
  @Describe({ summary: 'Returns the embed page', hidden: true })
  async page(@Param('clientId') clientId: string, @Res({ passthrough: true }) reply: Reply): Promise<string> {
    const { baseUrl } = this.config.service;
    // Set first: if the origins cannot be read, the error answer must not be framed either.
    reply.header('Content-Security-Policy', contentSecurityPolicy([], new URL(baseUrl).origin));
    const { allowedOrigins } = await this.rpc.call(rpc.identity.getEmbedOrigins, { clientId });
    reply.header('Content-Security-Policy', contentSecurityPolicy(allowedOrigins, new URL(baseUrl).origin));
    return embedPage(allowedOrigins, baseUrl);
  }

  @Get('assets/page.js')
  @Public()
  @Header('Content-Type', 'text/javascript; charset=utf-8')
  @Header('Cache-Control', 'public, max-age=300')
  @Header('X-Content-Type-Options', 'nosniff')
  @Describe({ summary: "Returns the embed page's script", hidden: true })
  script(): string {
    return PAGE_SCRIPT;
  }

  @Get('assets/page.css')
  @Public()
  @Header('Content-Type', 'text/css; charset=utf-8')
  @Header('Cache-Control', 'public, max-age=300')
  @Header('X-Content-Type-Options', 'nosniff')
  @Describe({ summary: "Returns the embed page's style", hidden: true })
  style(): string {
    return PAGE_STYLE;
  }
}
