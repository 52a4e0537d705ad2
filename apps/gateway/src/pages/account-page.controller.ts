import { Public } from '@crm/access';
import { Describe, ServedPage } from '@crm/http';
import { Controller, Get, Header, Headers, Inject, Injectable, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { ACCOUNT_PAGE_PATHS } from '../routing/routing.js';

@Injectable()
export class AccountPageService extends ServedPage {
  constructor(@Inject(GATEWAY_CONFIG) { accountPageDir }: GatewayConfig) {
    super(accountPageDir, 'ACCOUNT_PAGE_DIR');
  }
}

/** Only this address is called, so that nothing can hand on what the page holds: tokens of mails, passwords, approvals. */
const ACCOUNT_PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** A GET changes nothing: programs that scan mails follow their links, and the token is in the fragment, which is not sent. */
@Controller()
export class AccountPageController {
  constructor(private readonly page: AccountPageService) {}

  @Get('account/assets/:name')
  @Public()
  @Describe({ summary: 'Returns a script or style of the account page', hidden: true })
  asset(
    @Param('name') name: string,
    @Headers('accept-encoding') accepted: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Buffer {
    return this.page.sendAsset(name, accepted, reply);
  }

  /** Not stored, also not by a browser for its button to go back: what a page held is gone once it is left. */
  @Get([...ACCOUNT_PAGE_PATHS])
  @Public()
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Cache-Control', 'no-store')
  @Header('Content-Security-Policy', ACCOUNT_PAGE_POLICY)
  @Describe({ summary: 'Returns the account page', hidden: true })
  document(): string {
    return this.page.document;
  }
}
